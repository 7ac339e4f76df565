// Asynchronous creates on real queues: the consumer as a loop and as a Lambda function.
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Context as LambdaContext, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runIngest } from '../../src/api/handlers/ingest.ts';
import { createIngestHandler } from '../../src/api/lambda.ts';
import { jobIdFromKey } from '../../src/domain/digest.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createIngestQueue, type IngestMessage } from '../../src/queue/ingest-queue.ts';
import { createIngestQueues, createQueues } from '../../src/queue/sqs/queue-definitions.ts';
import { createReceiver } from '../../src/queue/sqs/receiver.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { until } from '../support/until.ts';

let dynoxide: Awaited<ReturnType<typeof startDynoxide>>;
let sqs: Awaited<ReturnType<typeof startQueueServer>>;
beforeAll(async () => {
  [dynoxide, sqs] = await Promise.all([startDynoxide(), startQueueServer()]);
});
afterAll(() => Promise.all([dynoxide.stop(), sqs.stop()]));

const message = (idempotencyKey: string, more: Partial<IngestMessage> = {}): IngestMessage => ({
  userId: 'alice',
  idempotencyKey,
  spec: jobSpecSchema.parse({ task: 'noop', schedule: { in: 'P1D' } }),
  acceptedAt: Date.now(),
  ...more,
});

async function open(prefix: string) {
  await createTables(dynoxide.client, prefix);
  const urls = await createQueues(sqs.client, prefix, 1);
  const { ingestUrl, ingestDeadLetterUrl } = await createIngestQueues(sqs.client, prefix);
  const ctx: Context = {
    store: createDynamoStore({ client: dynoxide.client, tablePrefix: prefix, shards: 16 }),
    queue: createSqs({ client: sqs.client, ...urls, clock: systemClock }).queue,
    clock: systemClock,
    random: systemRandom,
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  };
  const receiver = createReceiver({
    client: sqs.client,
    pollClient: sqs.client,
    queueUrl: ingestUrl,
    deadLetterUrl: ingestDeadLetterUrl,
    timer: systemClock,
  });
  const deadLetters = async () => {
    const { Messages = [] } = await sqs.client.send(
      new ReceiveMessageCommand({
        QueueUrl: ingestDeadLetterUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages.map(({ Body, MessageAttributes }) => [Body, MessageAttributes?.reason?.StringValue]);
  };
  const queue = createIngestQueue({ client: sqs.client, queueUrl: ingestUrl });
  return { ctx, urls, ingestUrl, ingestDeadLetterUrl, receiver, queue, deadLetters };
}

describe('the consumer as a loop', () => {
  it('a burst is created, each job once, though messages are doubled and a consumer dies with some in hand', async () => {
    const { ctx, receiver, queue, deadLetters } = await open('loop-');
    const keys = Array.from({ length: 60 }, (_, i) => `k${i}`);
    await Promise.all(keys.flatMap((key) => [queue.send(message(key)), queue.send(message(key))]));
    // One consumer receives messages and dies. They become visible again.
    const lost = await receiver.receive(10, AbortSignal.timeout(5_000));
    expect(lost.length).toBeGreaterThan(0);
    for (const one of lost) await one.setVisibility(0);

    const stop = new AbortController();
    const loops = [1, 2].map(() => runIngest(ctx, receiver, stop.signal));
    const count = async () => (await ctx.store.listHeads('alice', { limit: 100 })).items.length;
    await until('all are created', async () => (await count()) === keys.length);
    stop.abort();
    await Promise.all(loops);

    // Another body under the key of a job is refused with the reason.
    const enough = new AbortController();
    const loop = runIngest(ctx, receiver, enough.signal);
    await queue.send(
      message('k0', { spec: jobSpecSchema.parse({ task: 'noop', params: { result: 'other' } }) }),
    );
    const buried: unknown[][] = [];
    await until('one is dead-lettered', async () => buried.push(...(await deadLetters())) > 0);
    enough.abort();
    await loop;

    const heads = (await ctx.store.listHeads('alice', { limit: 100 })).items;
    expect(heads.map(({ jobId }) => jobId).sort()).toEqual(
      keys.map((key) => jobIdFromKey('alice', key)).sort(),
    );
    expect(buried).toEqual([
      [expect.stringContaining('other'), expect.stringMatching(/the Idempotency-Key was used before/)],
    ]);
  });

  it('a message that is too large for the queue is not taken', async () => {
    const { queue } = await open('large-');
    const spec = jobSpecSchema.parse({ task: 'noop', params: { result: 'x'.repeat(1_100_000) } });
    expect(await queue.send(message('k', { spec }))).toBe(false);
  });
});

describe('the consumer on Lambda', () => {
  it('creates what it can, buries what it never can, and asks for the rest again', async () => {
    const { ctx, urls, ingestDeadLetterUrl, deadLetters } = await open('lambda-');
    const environment = {
      PUNCTUAL_PREFIX: 'lambda-',
      PUNCTUAL_QUEUE_URLS: urls.queueUrls.join(','),
      PUNCTUAL_DEAD_LETTER_URL: urls.deadLetterUrl,
      PUNCTUAL_INGEST_DEAD_LETTER_URL: ingestDeadLetterUrl,
    };
    const aws = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: dynoxide.endpoint,
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    };
    const before = { ...process.env };
    Object.assign(process.env, aws);
    try {
      const handler = createIngestHandler(environment);
      const records = [
        message('good'),
        message('conflict', { spec: jobSpecSchema.parse({ task: 'noop' }) }),
      ].map((body, i) => ({ messageId: `m${i}`, body: JSON.stringify(body) }));
      const again = { messageId: 'm2', body: JSON.stringify(message('conflict')) };
      const invoke = (list: { messageId: string; body: string }[]) =>
        handler({ Records: list as SQSRecord[] }, { awsRequestId: '1' } as LambdaContext);
      expect(await invoke(records)).toEqual({ batchItemFailures: [] });
      expect(await invoke([again, { messageId: 'm3', body: 'nonsense' }])).toEqual({ batchItemFailures: [] });
      expect((await ctx.store.listHeads('alice', { limit: 10 })).items).toHaveLength(2);
      const reasons = (await deadLetters()).map(([, reason]) => reason).sort();
      expect(reasons).toEqual([expect.stringMatching(/^Conflict/), 'the message is not an accepted job']);

      // The tables are unavailable. No message is lost.
      process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:9';
      const cutOff = createIngestHandler(environment);
      expect(
        await cutOff({ Records: records as SQSRecord[] }, { awsRequestId: '2' } as LambdaContext),
      ).toEqual({
        batchItemFailures: [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm1' }],
      });
    } finally {
      process.env = before;
    }
  });

  it('does not start without its dead letters', () => {
    expect(() => createIngestHandler({})).toThrow('PUNCTUAL_PREFIX is missing');
  });
});
