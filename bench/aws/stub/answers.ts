// The responses of a DynamoDB and an SQS that accept everything. Any job exists, recurs and has run before. Every write
// succeeds, a message that is due now always exists, and every slot is full.
import { createHash } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { entryKey, minuteStart } from '../../../src/domain/executions/slots.ts';
import type { Head } from '../../../src/domain/jobs/job.ts';
import { encode } from '../../../src/queue/sqs/message-body.ts';
import { definitionToItem, headToItem, rowToItem } from '../../../src/store/items.ts';

/** Few enough that a worker caches all definitions, as with a steady set of jobs. */
const JOBS = 1_000;
export const ENTRIES_PER_SLOT = 5_000;
const REVISION = 'benchmarkrev';
const BEFORE = dueKey(Date.parse('2026-01-01T00:00:00Z'));
const PATTERN = '*/5 * * * *';

const jobId = (n: number): string => `job_benchmark${String(n % JOBS).padStart(11, '0')}`;
const ANY_JOB = jobId(0);

/** The template of responses. Each response is a copy with the id of the requested job. */
const template = (item: Record<string, unknown>): ((jobId: string) => string) => {
  const text = JSON.stringify(marshall(item, { removeUndefinedValues: true }));
  return (id) => text.replaceAll(ANY_JOB, id);
};

const head: Head = {
  jobId: ANY_JOB,
  userId: '3f9a1c52-7b8e-4d21-9c0a-5e6f7a8b9c0d',
  name: 'nightly-report',
  task: 'noop',
  tags: { team: 'billing' },
  status: 'active',
  schedule: { cron: PATTERN, timezone: 'Europe/Paris' },
  retry: { maxAttempts: 3, backoffSeconds: 2, maxBackoffSeconds: 900 },
  timeoutSeconds: 300,
  overlap: 'skip',
  misfire: { policy: 'runOnce', graceSeconds: 60 },
  revision: REVISION,
  version: 1,
  definition: 1,
  createdAt: 0,
  updatedAt: 0,
  lock: { due: BEFORE, number: 7 },
};
const headItem = template(headToItem(head));
const definitionItem = template(definitionToItem({ jobId: ANY_JOB, version: 1, params: {}, notify: [] }));
const rowItem = template(
  rowToItem(
    {
      jobId: ANY_JOB,
      due: BEFORE,
      userId: head.userId,
      status: 'SUCCEEDED',
      number: 7,
      revision: REVISION,
      attempt: 1,
      maxAttempts: 3,
      finishedAt: 1,
    },
    1,
  ),
);

interface Key {
  /** Undefined in the keys of the timetable and of the table `control`. */
  readonly jobId?: { readonly S: string };
  readonly part?: { readonly S: string };
  readonly due?: { readonly S: string };
}

/** Entries of the timetable and rows of `control` have only their key here. */
function itemOf(key: Key): string {
  const { part, due } = key;
  const id = key.jobId?.S;
  if (id === undefined) return JSON.stringify(key);
  if (part === undefined) return rowItem(id).replaceAll(BEFORE, due?.S ?? BEFORE);
  return part.S === 'head' ? headItem(id) : definitionItem(id);
}

/** One page of a slot. Its key `minute#shard` has the minute of the entries. */
function slot(name: string): string {
  const at = minuteStart(Number(name.split('#')[0]));
  const items = Array.from({ length: ENTRIES_PER_SLOT }, (_, n) => {
    const entry = {
      at: at + n,
      jobId: jobId(n),
      revision: REVISION,
      due: dueKey(at + n),
      kind: 'regular',
    } as const;
    return `{"key":{"S":"${entryKey(entry)}"}}`;
  });
  return `{"Items":[${items}],"Count":${items.length}}`;
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

let given = 0;
function messages(count: number): string {
  const now = Date.now();
  const list = Array.from({ length: count }, () => {
    const n = given++;
    // Every message is due in a different millisecond, so that no execution is repeated.
    const due = dueKey(now - (n % 1000));
    const Body = encode({ jobId: jobId(n), due, revision: REVISION, fireAt: now, enqueuedAt: now });
    const Attributes = { ApproximateReceiveCount: '1' };
    return { MessageId: `m${n}`, ReceiptHandle: `m${n}`, Body, MD5OfBody: md5(Body), Attributes };
  });
  return JSON.stringify({ Messages: list });
}

interface Input {
  readonly Key: Key;
  readonly RequestItems: Record<string, { Keys: Key[] }>;
  readonly Statements: unknown[];
  readonly TableName: string;
  readonly ExpressionAttributeValues: Record<string, { S: string }>;
  readonly MaxNumberOfMessages: number;
  readonly Entries: { Id: string; MessageBody?: string }[];
}

/** The responses by operation. Other operations are writes with an empty response. */
export const ANSWERS: Record<string, (input: Input) => string> = {
  GetItem: ({ Key }) => `{"Item":${itemOf(Key)}}`,
  BatchGetItem: ({ RequestItems }) => {
    const tables = Object.entries(RequestItems).map(
      ([table, { Keys }]) => `"${table}":[${Keys.map(itemOf)}]`,
    );
    return `{"Responses":{${tables}},"UnprocessedKeys":{}}`;
  },
  BatchExecuteStatement: ({ Statements }) => `{"Responses":[${Statements.map(() => '{}')}]}`,
  Query: ({ TableName, ExpressionAttributeValues }) =>
    TableName.endsWith('timetable') ? slot(ExpressionAttributeValues[':slot']?.S ?? '') : '{"Items":[]}',
  ReceiveMessage: ({ MaxNumberOfMessages }) => messages(MaxNumberOfMessages),
  SendMessageBatch: ({ Entries }) => batch(Entries),
  DeleteMessageBatch: ({ Entries }) => batch(Entries),
};

function batch(entries: Input['Entries']): string {
  // The SDK verifies the checksum of the message body.
  const Successful = entries.map(({ Id, MessageBody }) => ({
    Id,
    MessageId: Id,
    MD5OfMessageBody: MessageBody && md5(MessageBody),
  }));
  return JSON.stringify({ Successful, Failed: [] });
}
