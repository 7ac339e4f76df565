// Changes of a job that runs every second: nothing that they withdraw starts after they have returned, and they return at once
// if no claim is on its way.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { UnderWay } from '../../src/concurrency/under-way.ts';
import { asUser } from '../../src/domain/principal.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import type { Message } from '../../src/queue/queue.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { defineTask } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { at, StandingClock } from '../support/standing-clock.ts';
import { standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

const ANN = asUser('ann');
const EVERY_SECOND = { schedule: { every: 'PT1S', startAt: '2026-12-01T12:00:01Z' } };

type Change = (context: Context, jobId: string) => Promise<unknown>;

/** The job runs from 12:00:01 on, and is changed once. When did the change return, and what started when? */
async function changed(
  way: 'AWS' | 'embedded',
  change: Change,
  changeAt: number,
  runsForMs: number,
  overlap = 'skip',
) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_SECOND, overlap, params: { n: 1 } });
  const clock = new StandingClock();
  const starts: { at: number; n: unknown }[] = [];
  const task = defineTask({
    ...{ name: 'noop', description: '', params: z.looseObject({}) },
    async run({ params }) {
      starts.push({ at: clock.now(), n: params.n });
      await clock.sleep(runsForMs);
    },
  });
  const worker = workerPort(new Map([[task.name, task]]));
  const deliver = async (message: Message) => {
    if (message.fireAt <= at('12:00:30'))
      await handleMessage(context, worker, receivedMessage(message, clock.now()));
  };
  const context: Context = {
    ...world.context,
    clock,
    queue: { send: async (messages) => messages.forEach((message) => void deliver(message)) },
    ...(way === 'embedded' && { claims: new UnderWay(), boot: 'boot' }),
  };
  for (const message of world.sent) void deliver(message);
  await clock.advance(changeAt - clock.now());
  let returnedAt = Number.POSITIVE_INFINITY;
  void change(context, jobId).then(() => {
    returnedAt = clock.now();
  });
  await clock.advance(at('12:00:20') - clock.now());
  const after = starts.filter((start) => start.at > returnedAt);
  return { waitedMs: returnedAt - changeAt, before: starts.length - after.length, after };
}

const CHANGES: readonly [string, Change][] = [
  ['a pause', (context, jobId) => pauseJob(context, ANN, jobId)],
  [
    'an edit of the schedule',
    (context, jobId) =>
      editJob(context, ANN, jobId, { schedule: { every: 'PT1H', startAt: '2026-12-01T13:00:00Z' } }),
  ],
  ['a cancel', (context, jobId) => cancelJob(context, ANN, jobId)],
];

describe.each(CHANGES)('%s', (_name, change) => {
  test.each(['AWS', 'embedded'] as const)('between two short runs returns at once, %s', async (way) => {
    const { waitedMs, before, after } = await changed(way, change, at('12:00:05.500'), 100);
    expect({ waitedMs, before, after }).toEqual({ waitedMs: 0, before: 5, after: [] });
  });

  test.each(['AWS', 'embedded'] as const)('during a long run returns at once, %s', async (way) => {
    const { waitedMs, before, after } = await changed(way, change, at('12:00:06'), 60_000);
    expect({ waitedMs, before, after }).toEqual({ waitedMs: 0, before: 1, after: [] });
  });

  test('at the millisecond of a start returns at once in the process of the worker, and after the start window on AWS', async () => {
    const embedded = await changed('embedded', change, at('12:00:05.001'), 100);
    expect(embedded).toEqual({ waitedMs: 0, before: 5, after: [] });
    const aws = await changed('AWS', change, at('12:00:05.001'), 100);
    expect(aws).toEqual({ waitedMs: 1_000, before: 5, after: [] });
  });

  test('with overlap: allow always returns after the start window on AWS', async () => {
    const { waitedMs, after } = await changed('AWS', change, at('12:00:05.500'), 100, 'allow');
    expect({ waitedMs, after }).toEqual({ waitedMs: 1_000, after: [] });
  });
});

test.each(['AWS', 'embedded'] as const)(
  'every run that starts after an edit of the params has the new ones, %s',
  async (way) => {
    const edit: Change = (context, jobId) => editJob(context, ANN, jobId, { params: { n: 2 } });
    for (const changeAt of ['12:00:04.999', '12:00:05', '12:00:05.001', '12:00:05.500']) {
      const { before, after } = await changed(way, edit, at(changeAt), 100);
      expect(before + after.length).toBe(20);
      expect(new Set(after.map(({ n }) => n))).toEqual(new Set([2]));
    }
  },
);
