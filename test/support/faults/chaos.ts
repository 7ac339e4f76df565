// Faults of DynamoDB and SQS calls, decided by random numbers from the seed.
import { createHash } from 'node:crypto';
import type { Answer, Call, Rule } from './proxy.ts';

const dynamoError = (status: number, type: string, message: string): Answer => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message },
});

const ADMINISTRATION = ['CreateTable', 'DescribeTable', 'DescribeTimeToLive', 'UpdateTimeToLive'];

/** The share of all calls that meet each fault, from 0 to 1. */
export interface StoreTrouble {
  /** The call has no effect and answers 500, at every try. */
  readonly fail?: number;
  /** One try of the call is throttled without an effect. */
  readonly throttle?: number;
  /** One try takes effect and its response is lost, so the next try meets its own success. */
  readonly lose?: number;
  /** The call takes effect, and no try gets a response. */
  readonly loseAll?: number;
  /** A batch takes effect only in part. */
  readonly part?: number;
}

export function troubledStore(random: () => number, trouble: StoreTrouble): Rule {
  const { fail = 0, throttle = 0, lose = 0, loseAll = 0, part = 0 } = trouble;
  /** What was decided about a call counts for all its tries. */
  const fates = new Map<string, 'fail' | 'lost' | undefined>();
  return async (call, send) => {
    if (ADMINISTRATION.includes(call.operation)) return send();
    if (!fates.has(call.invocation)) {
      const dice = random();
      fates.set(call.invocation, dice < fail ? 'fail' : dice < fail + loseAll ? 'lost' : undefined);
    }
    const fate = fates.get(call.invocation);
    if (fate === 'fail') return dynamoError(500, 'InternalServerError', 'made to fail');
    if (fate === 'lost') {
      await send();
      return undefined;
    }
    const dice = random();
    if (dice < throttle)
      return dynamoError(400, 'ProvisionedThroughputExceededException', 'made to be throttled');
    if (dice < throttle + lose) {
      await send();
      return undefined;
    }
    return call.operation.startsWith('Batch') && random() < part ? inPart(call, send) : send();
  };
}

interface Batch {
  readonly RequestItems?: Record<string, unknown>;
  readonly Statements?: unknown[];
}

/** A batch of one table: the second half of it is given back, or of statements throttled. */
async function inPart(
  call: Call,
  send: (body?: Record<string, unknown>) => Promise<Answer>,
): Promise<Answer> {
  const { Statements } = call.body as Batch;
  if (Statements && Statements.length > 1) {
    const half = Math.ceil(Statements.length / 2);
    const { status, body } = await send({ ...call.body, Statements: Statements.slice(0, half) });
    const answered = (body as { Responses?: unknown[] }).Responses ?? [];
    const throttled = { Error: { Code: 'ThrottlingError', Message: 'made to be throttled' } };
    const Responses = [...answered, ...Statements.slice(half).map(() => throttled)];
    return { status, body: { ...body, Responses } };
  }
  const [[table, asked] = ['', undefined]] = Object.entries((call.body as Batch).RequestItems ?? {});
  if (Array.isArray(asked) && asked.length > 1) {
    const half = Math.ceil(asked.length / 2);
    const { status, body } = await send({ ...call.body, RequestItems: { [table]: asked.slice(0, half) } });
    return { status, body: { ...body, UnprocessedItems: { [table]: asked.slice(half) } } };
  }
  const { Keys, ...rest } = (asked ?? {}) as { Keys?: unknown[] };
  if (Keys && Keys.length > 1) {
    const half = Math.ceil(Keys.length / 2);
    const first = { [table]: { ...rest, Keys: Keys.slice(0, half) } };
    const { status, body } = await send({ ...call.body, RequestItems: first });
    return { status, body: { ...body, UnprocessedKeys: { [table]: { ...rest, Keys: Keys.slice(half) } } } };
  }
  return send();
}

export interface QueueTrouble {
  /** Messages that SQS accepts and loses. */
  readonly drop?: number;
  /** Messages that are sent twice. */
  readonly double?: number;
  /** Messages that are delivered at once, whenever they are due. */
  readonly early?: number;
  /** Messages that are delivered later than requested. */
  readonly late?: number;
  /** The longest delay of late messages, in real seconds. */
  readonly lateSeconds?: number;
  /** Deletes that SQS confirms without an effect. */
  readonly keep?: number;
  /** Messages that stay visible for others after their delivery. */
  readonly handOutTwice?: number;
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
}

interface Results {
  readonly Successful?: { Id: string }[];
}

export function troubledQueue(random: () => number, trouble: QueueTrouble): Rule {
  const { drop = 0, double = 0, early = 0, late = 0, lateSeconds = 3, keep = 0, handOutTwice = 0 } = trouble;

  const sendBatch: Rule = async (call, send) => {
    const entries = call.body.Entries as Entry[];
    const dropped = entries.filter(() => random() < drop);
    const kept = entries
      .filter((e) => !dropped.includes(e))
      .flatMap((e) => {
        const delay = random() < late ? Math.ceil(random() * lateSeconds) : 0;
        const asked = random() < early ? 0 : (e.DelaySeconds ?? 0);
        const sent = { ...e, DelaySeconds: asked + delay };
        return random() < double ? [sent, { ...sent, Id: `${e.Id}-twice` }] : [sent];
      });
    const answer: Answer =
      kept.length === 0
        ? { status: 200, body: {} }
        : await send({ ...call.body, Entries: kept.slice(0, 10) });
    // the client checks the digest, so what was dropped has to be answered well
    const pretended = dropped.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: `dropped-${Id}`,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }));
    const real = ((answer.body as Results).Successful ?? []).filter(({ Id }) => !Id.endsWith('-twice'));
    return { status: answer.status, body: { ...answer.body, Successful: [...real, ...pretended] } };
  };

  return async (call, send) => {
    if (call.operation === 'SendMessageBatch') return sendBatch(call, send);
    if (call.operation === 'DeleteMessageBatch' && random() < keep) {
      const entries = call.body.Entries as { Id: string }[];
      return { status: 200, body: { Successful: entries.map(({ Id }) => ({ Id })) } };
    }
    // a delay of its own: its answer, made visible again, is handed out a second time
    if (call.operation === 'ReceiveMessage' && random() < handOutTwice)
      return send({ ...call.body, VisibilityTimeout: 0 });
    return send();
  };
}
