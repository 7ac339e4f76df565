// Log lines from CloudWatch Logs: the search, its pages, its cache and its errors.
import {
  CloudWatchLogsClient,
  type FilteredLogEvent,
  FilterLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, it } from 'vitest';
import { dueKey, executionId } from '../../src/domain/executions/ids.ts';
import { CACHED_MS, createCloudWatchLogs } from '../../src/telemetry/cloudwatch/log-events.ts';
import { aJobId, T0 } from '../support/fixtures.ts';

const cloudWatch = mockClient(CloudWatchLogsClient);
afterEach(() => cloudWatch.reset());

const GROUP = 'punctual-dev-workers';
const MINUTE = 60_000;

function opened() {
  let now = 1_000;
  const client = new CloudWatchLogsClient({ region: 'us-east-1' });
  const logs = createCloudWatchLogs({ group: GROUP, client: async () => client, monotonic: () => now });
  const key = { jobId: aJobId(), due: dueKey(T0) };
  return {
    logs,
    key,
    id: executionId(key.jobId, key.due),
    tick: (ms: number) => {
      now += ms;
    },
    read: (more: { limit?: number; cursor?: string; finishedAt?: number } = {}) =>
      logs.read(key, { limit: 100, startedAt: T0, ...more }),
  };
}

let made = 0;
/** A line as a worker writes it. */
const event = (message: string, more: Record<string, unknown> = {}, timestamp = T0): FilteredLogEvent => ({
  timestamp,
  eventId: String(++made).padStart(56, '0'),
  message: JSON.stringify({
    ...{ level: 'INFO', message, timestamp: new Date(timestamp - 1).toISOString() },
    ...{ service: 'punctual-worker', workerId: 'worker_1', executionId: 'e', jobId: 'j', task: 't' },
    ...{ attempt: 2, userId: 'ann', writtenBy: 'task', ...more },
  }),
});
const inputs = () => cloudWatch.commandCalls(FilterLogEventsCommand).map(({ args }) => args[0].input);

describe('a search', () => {
  it('asks for the lines of tasks with the id of the execution, within its time and a minute around', async () => {
    cloudWatch.on(FilterLogEventsCommand).resolves({ events: [] });
    const { read, id } = opened();
    expect(await read({ finishedAt: T0 + 5_000 })).toEqual({ items: [] });
    expect(inputs()).toEqual([
      {
        logGroupName: GROUP,
        filterPattern: `{ $.writtenBy = "task" && $.executionId = "${id}" }`,
        startTime: T0 - MINUTE,
        endTime: T0 + 5_000 + MINUTE,
        limit: 101,
      },
    ]);
  });

  it('returns the lines with the fields of the task, and without those of the worker', async () => {
    cloudWatch.on(FilterLogEventsCommand).resolves({
      events: [
        event('plain'),
        event('with fields', { level: 'WARN', rows: 3, nested: { a: [1] } }),
        event('odd', { timestamp: 'never', level: 'LOUD', attempt: 'x', message: 7 }),
        { timestamp: T0, eventId: '1', message: '{"half of a li' },
      ],
    });
    const { items } = await opened().read();
    expect(items).toMatchObject([
      { at: T0 - 1, level: 'info', message: 'plain', attempt: 2 },
      { at: T0 - 1, level: 'warn', message: 'with fields', fields: { rows: 3, nested: { a: [1] } } },
      { at: T0, level: 'info', message: '7', attempt: 1 },
    ]);
    expect(items[0]).not.toHaveProperty('fields');
  });

  it('goes on while CloudWatch returns nothing and has more to search, five calls at most', async () => {
    cloudWatch.on(FilterLogEventsCommand).resolves({ events: [], nextToken: 'more/+=' });
    const { read } = opened();
    const { items, nextCursor = '' } = await read();
    expect(items).toEqual([]);
    expect(inputs()).toHaveLength(5);
    expect(inputs()[1]?.nextToken).toBe('more/+=');
    cloudWatch.reset();
    cloudWatch.on(FilterLogEventsCommand).resolves({ events: [event('found')] });
    expect(await read({ cursor: nextCursor })).toMatchObject({ items: [{ message: 'found' }] });
    expect(inputs()).toMatchObject([{ nextToken: 'more/+=', startTime: T0 - MINUTE }]);
  });

  it('pages by line, also if a thousand lines have the same millisecond, without a gap or a double', async () => {
    const all = Array.from({ length: 1_234 }, (_, i) => event(String(i), {}, T0 + (i < 1_100 ? 0 : i)));
    cloudWatch.on(FilterLogEventsCommand).callsFake(({ startTime, limit, nextToken }) => {
      const from = all.filter(({ timestamp = 0 }) => timestamp >= startTime).slice(Number(nextToken ?? 0));
      return {
        events: from.slice(0, limit),
        ...(from.length > limit && { nextToken: String(Number(nextToken ?? 0) + limit) }),
      };
    });
    const { read } = opened();
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 20; pages++) {
      const page = await read(cursor === undefined ? {} : { cursor });
      seen.push(...page.items.map(({ message }) => message));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(all.map((_, i) => String(i)));
  });

  it('follows: the id of the last line is a cursor', async () => {
    const [one, two] = [event('one'), event('two')];
    cloudWatch.on(FilterLogEventsCommand).resolves({ events: [one] });
    const { read } = opened();
    const [first] = (await read()).items;
    cloudWatch.on(FilterLogEventsCommand).resolves({ events: [one, two] });
    expect((await read({ cursor: first?.id ?? '' })).items).toMatchObject([{ message: 'two' }]);
    expect(inputs().at(-1)).toMatchObject({ startTime: T0 });
  });

  it.each(['x', 'at.1.2.3', `at.${T0}..`, '-', `${T0}-`, `${T0}-"} || {`])(
    'refuses the cursor %s',
    async (cursor) => {
      await expect(opened().read({ cursor })).rejects.toThrow('cursor: is not a cursor of this list');
      expect(inputs()).toEqual([]);
    },
  );
});

describe('the cache', () => {
  it('one process reads a page once in five seconds, whoever asks', async () => {
    cloudWatch.on(FilterLogEventsCommand).resolves({ events: [event('x')] });
    const { read, tick } = opened();
    await Promise.all([read(), read()]);
    tick(CACHED_MS - 1);
    await read();
    expect(inputs()).toHaveLength(1);
    tick(2);
    await read();
    expect(inputs()).toHaveLength(2);
    await read({ limit: 7 });
    expect(inputs()).toHaveLength(3);
  });

  it('an error is cached, too: a throttled caller does not ask again at once', async () => {
    cloudWatch.on(FilterLogEventsCommand).rejects(named('ThrottlingException'));
    const { read, tick } = opened();
    await expect(read()).rejects.toThrow('throttles');
    const calls = inputs().length;
    await expect(read()).rejects.toThrow('throttles');
    expect(inputs()).toHaveLength(calls);
    tick(CACHED_MS + 1);
    await expect(read()).rejects.toThrow('throttles');
    expect(inputs().length).toBeGreaterThan(calls);
  });
});

const named = (name: string) => Object.assign(new Error('from AWS'), { name });

describe('errors', () => {
  it.each([
    [
      'ThrottlingException',
      'CloudWatch Logs throttles the requests of this account; try again in 5 seconds',
      5,
    ],
    ['ResourceNotFoundException', `the log group ${GROUP} of the workers does not exist in this Region`, 60],
    ['AccessDeniedException', `no permission for logs:FilterLogEvents on the log group ${GROUP}`, 5],
  ])('%s is a clear answer', async (name, message, retryAfterSeconds) => {
    cloudWatch.on(FilterLogEventsCommand).rejects(named(name));
    const error = await opened()
      .read()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      status: 503,
      retryAfterSeconds,
      message: expect.stringContaining(message),
    });
  });

  it('any other error stays as it is', async () => {
    cloudWatch.on(FilterLogEventsCommand).rejects(named('InvalidParameterException'));
    await expect(opened().read()).rejects.toThrow('from AWS');
  });
});
