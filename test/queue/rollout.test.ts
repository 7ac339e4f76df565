// Messages between versions. During a rollout new senders write to consumers of the earlier version, and the new consumers read
// what was sent before. A message that its consumer refuses goes to the dead letters, and its job is never heard of again.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROW_TRANSITIONS, type RowStatus } from '../../src/domain/executions/row.ts';
import { EXAMPLE_JOB, jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { NOTIFY_ON, notifiesOf } from '../../src/domain/jobs/notify-events.ts';
import { acceptJob, createAccepted } from '../../src/jobs/create-async.ts';
import { deliveriesOf, type Target } from '../../src/notifications/deliveries.ts';
import { publishEvents } from '../../src/notifications/publish-events.ts';
import { decodeIngest, type IngestMessage } from '../../src/queue/ingest-queue.ts';
import { decodeNotify, type NotifyMessage } from '../../src/queue/notify-queue.ts';
import { decode, encode } from '../../src/queue/sqs/message-body.ts';
import type { Claimed } from '../../src/scheduling/claiming/claim-result.ts';
import type { Store } from '../../src/store/store.ts';
import { aHead, aMessage, aRow, T0 } from '../support/fixtures.ts';
import { NOON, standingWorld, USER } from '../support/standing-world.ts';
import { frozen } from './frozen/decoders.ts';

type Queue = keyof typeof frozen;
const today: Record<Queue, (body: string) => unknown> = {
  work: decode,
  notify: decodeNotify,
  ingest: decodeIngest,
};
const QUEUES = Object.keys(today) as Queue[];

const earlier: Record<Queue, unknown[]> = JSON.parse(
  readFileSync(new URL('./frozen/messages.json', import.meta.url), 'utf8'),
);

const STATUSES = Object.keys(ROW_TRANSITIONS).filter((status) => status !== 'absent') as RowStatus[];

const SPECS = [
  EXAMPLE_JOB,
  { task: 'noop' },
  { task: 'noop', schedule: { in: 'PT5M' }, limit: { key: 'reports', concurrent: 2 } },
  { task: 'noop', schedule: { every: 'PT1H', endAt: '2027-12-01T00:00:00Z' }, overlap: 'allow' },
  { task: 'noop', schedule: { calendar: { hour: 9 } }, misfire: { policy: 'runAll' } },
];

const TARGETS = [
  { webhook: { url: 'https://example.com/alert' } },
  { email: { to: 'ops@example.com' } },
  { sns: { topicArn: 'arn:aws:sns:eu-west-1:123456789012:alerts' } },
] satisfies Target['target'][];

/** Messages of every kind, as today's senders write them. */
async function todays(): Promise<Record<Queue, string[]>> {
  const notify: NotifyMessage[] = [];
  const { context } = standingWorld();
  const store = { insertRow: async () => true } as unknown as Store;
  const queue = { send: async (messages: readonly NotifyMessage[]) => void notify.push(...messages) };
  const publishing = publishEvents({ ...context, store }, { queue, changes: true });
  const head = aHead({ notifies: notifiesOf([{ on: NOTIFY_ON }]) as string });
  const filled = {
    attempt: 2,
    reason: 'because',
    error: { name: 'Error', message: 'no' },
    nextAttemptAt: T0,
  };
  for (const status of STATUSES) {
    await publishing.store.insertRow(aRow({ status, ...filled, notifies: head.notifies as string }));
    await publishing.store.insertRow(aRow({ status }));
  }
  const row = aRow({ attempt: 1, startedAt: T0 + 600_000 });
  const message = aMessage({ fireAt: T0 });
  await publishing.publisher.started({ head, message, row } as Claimed);
  await publishing.publisher.overdue([{ head, due: row.due, revision: head.revision, expectedAt: 0 }]);
  notify.push({ kind: 'summary', id: 'id', jobId: head.jobId, event: 'late', until: T0 });
  const { execution } = notify.find((one) => one.kind === 'change') ?? {};
  if (!execution) throw new Error('no change was published');
  const targets = TARGETS.map((target, index) => ({ index, target }));
  for (const event of NOTIFY_ON)
    notify.push(...deliveriesOf(head, event, 'key', targets, { suppressed: 1, execution, at: T0 }));

  const ingest: IngestMessage[] = [];
  const accepting = { send: async (message: IngestMessage) => ingest.push(message) > 0 };
  for (const spec of SPECS)
    await acceptJob(context, accepting, { userId: USER, spec: jobSpecSchema.parse(spec) });
  const work = [
    aMessage(),
    aMessage({ owner: 'Zm9vYmFy', keyed: true, trace: 'Root=1-2-3' }),
    aMessage({ owner: 'Zm9vYmFy', due: `${T0}-a1B2c3D4`, revision: 'MANUAL' }),
  ];
  const bodies = (messages: readonly unknown[]) => messages.map((one) => JSON.stringify(one));
  return { work: work.map(encode), notify: bodies(notify), ingest: bodies(ingest) };
}

/** The message with an unknown field in each of its objects, as a later version may write them. */
const withUnknown = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.map((one) => withUnknown(one));
  // the names in these are given by people
  if (value === null || typeof value !== 'object' || ['params', 'tags', 'result'].includes(name))
    return value;
  const fields = Object.entries(value).map(([key, one]) => [key, withUnknown(one, key)]);
  return { ...Object.fromEntries(fields), ofALaterVersion: { deep: [1] } };
};

const kindOf = (body: string): string => JSON.parse(body).kind ?? '';

describe('a consumer of the earlier version', () => {
  test.each(QUEUES)('takes everything that the senders of %s write today', async (queue) => {
    const bodies = (await todays())[queue];
    expect(bodies.length).toBeGreaterThan(2);
    for (const body of bodies) expect(frozen[queue](body), body).toMatchObject(JSON.parse(body));
    if (queue === 'notify')
      expect(new Set(bodies.map(kindOf))).toEqual(new Set(['event', 'change', 'summary', 'delivery']));
  });
});

describe("today's consumer", () => {
  test.each(QUEUES)('takes what senders of the earlier version wrote to %s', (queue) => {
    expect(earlier[queue].length).toBeGreaterThan(0);
    for (const message of earlier[queue])
      expect(today[queue](JSON.stringify(message)), JSON.stringify(message)).toEqual(message);
  });

  test.each(QUEUES)('takes messages of %s with fields that it does not know', async (queue) => {
    const bodies = [...(await todays())[queue], ...earlier[queue].map((one) => JSON.stringify(one))];
    for (const body of bodies) {
      const later = JSON.stringify(withUnknown(JSON.parse(body)));
      expect(today[queue](later), later).toMatchObject(today[queue](body) as object);
    }
  });

  test.each([
    ...['jobId', 'due', 'revision', 'fireAt', 'enqueuedAt'].map((field) => ['work', field] as const),
    ...['kind', 'event', 'jobId', 'due', 'at', 'execution'].map((field) => ['notify', field] as const),
    ...['userId', 'idempotencyKey', 'spec', 'acceptedAt'].map((field) => ['ingest', field] as const),
  ])('refuses a message of %s without %s', (queue, field) => {
    const { [field]: _, ...rest } = earlier[queue][0] as Record<string, unknown>;
    expect(today[queue](JSON.stringify(rest))).toBeUndefined();
  });

  test('hands the unknown fields of an execution on to the receiver of the notification', () => {
    const delivery = earlier.notify.find((one) => kindOf(JSON.stringify(one)) === 'delivery');
    expect(decodeNotify(JSON.stringify(withUnknown(delivery)))).toMatchObject({
      payload: { execution: { ofALaterVersion: { deep: [1] } } },
    });
  });

  test('creates an accepted job of a later version, and a repeated request finds it', async () => {
    const world = standingWorld();
    world.now = NOON;
    const [message] = earlier.ingest;
    const body = JSON.stringify(withUnknown(message));
    const decoded = decodeIngest(body);
    if (!decoded) throw new Error('the message was refused');
    await createAccepted(world.context, decoded);
    await createAccepted(world.context, decoded);
    expect(world.store.heads.all()).toMatchObject([{ task: 'noop', status: 'active', userId: 'alice' }]);
    expect(world.store.snapshot().entries).not.toEqual([]);
  });
});
