// Occurrences that wait for each other. An execution that does not use its turn passes it on, whichever process died.
import { beforeEach, expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { asUser } from '../../src/domain/principal.ts';
import { pauseJob, resumeJob } from '../../src/jobs/pause-job.ts';
import type { Message } from '../../src/queue/queue.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../src/scheduling/running/finish-attempt.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';

const ANN = asUser('ann');
const SPEC = {
  schedule: { every: 'PT1M', startAt: '2026-12-01T12:01:00Z' },
  overlap: 'queue',
  misfire: { policy: 'runAll' },
};

let world: ReturnType<typeof standingWorld>;
let jobId: string;
beforeEach(async () => {
  world = standingWorld();
  jobId = await world.create(SPEC);
});

function head(): Head {
  const found = world.store.heads.get(jobId);
  if (!found) throw new Error('there is no job');
  return found;
}
const messageOf = (minute: number): Message => {
  const at = NOON + minute * MINUTE;
  return { jobId, due: dueKey(at), revision: head().revision, fireAt: at, enqueuedAt: at };
};
const rowOf = (minute: number): Promise<Row | undefined> =>
  world.store.readRow(jobId, messageOf(minute).due, { consistent: true });
const claimed = async (minute: number) => {
  const answer = await claim(world.context, 'worker', messageOf(minute));
  if (answer.kind !== 'run') throw new Error(`${minute} does not run: ${answer.kind}`);
  return answer.claimed;
};
const woken = (): string[] => world.sent.map(({ due }) => due);

/** The first runs, the next two wait for it. */
async function twoWait() {
  world.now = NOON + MINUTE;
  const first = await claimed(1);
  world.now = NOON + 3 * MINUTE;
  for (const minute of [2, 3])
    expect(await claim(world.context, 'worker', messageOf(minute))).toMatchObject({ kind: 'later' });
  expect(await rowOf(2)).toMatchObject({ status: 'QUEUED', queuedAt: world.now });
  world.sent.length = 0;
  return first;
}

const SUCCEEDED = { kind: 'succeeded', result: undefined } as const;
const end = (first: Awaited<ReturnType<typeof claimed>>) =>
  finishAttempt(world.context, first, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });

test('if a worker dies between the end and the wake, its redelivered message wakes the next one', async () => {
  const first = await twoWait();
  const killed = { ...world.context, queue: { send: () => new Promise<void>(() => {}) } };
  void finishAttempt(killed, first, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });
  await expect.poll(() => rowOf(1)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await claim(world.context, 'other', messageOf(1))).toEqual({ kind: 'drop' });
  expect(woken()).toEqual([messageOf(2).due]);
});

test('an occurrence that was withdrawn while it waited passes its turn on', async () => {
  const first = await twoWait();
  const second = messageOf(2);
  await pauseJob(world.context, ANN, jobId);
  await resumeJob(world.context, ANN, jobId);
  await end(first);
  expect(woken()).toContain(second.due);
  world.sent.length = 0;
  expect(await claim(world.context, 'other', second)).toEqual({ kind: 'drop' });
  expect(await rowOf(2)).toMatchObject({ status: 'CANCELLED' });
  expect(new Set(woken())).toEqual(new Set([messageOf(3).due]));
});
