// Occurrences that wait for each other. An execution that does not use its turn passes it on, whichever process died.
import { beforeEach, describe, expect, test } from 'vitest';
import { dueKey } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { asUser } from '../../src/domain/principal.ts';
import { pauseJob, resumeJob } from '../../src/jobs/pause-job.ts';
import type { Message } from '../../src/queue/queue.ts';
import { claim, prepare } from '../../src/scheduling/claiming/claim.ts';
import { claimEarly } from '../../src/scheduling/claiming/claim-early.ts';
import { undoClaim } from '../../src/scheduling/claiming/confirm-start.ts';
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

/** The first runs, the next two wait for it without a message. */
async function twoWait() {
  world.now = NOON + 3 * MINUTE;
  const first = await claimed(1);
  for (const minute of [2, 3])
    expect(await claim(world.context, 'worker', messageOf(minute))).toEqual({ kind: 'drop' });
  expect(await rowOf(2)).toMatchObject({ status: 'WAITING' });
  world.sent.length = 0;
  return first;
}

const SUCCEEDED = { kind: 'succeeded', result: undefined } as const;
const end = (first: Awaited<ReturnType<typeof claimed>>) =>
  finishAttempt(world.context, first, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });

test('if a worker dies between the end and the wake, its redelivered message wakes the next one', async () => {
  const first = await twoWait();
  const dies = { ...world.context, queue: { send: () => Promise.reject(new Error('killed')) } };
  await expect(
    finishAttempt(dies, first, SUCCEEDED, { receivedAt: world.now, startedAt: world.now }),
  ).rejects.toThrow('killed');
  expect(await rowOf(1)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await claim(world.context, 'other', messageOf(1))).toEqual({ kind: 'drop' });
  expect(woken()).toEqual([messageOf(2).due]);
});

test('while another execution holds the job, such a message wakes none', async () => {
  await end(await twoWait());
  await claimed(2);
  world.sent.length = 0;
  expect(await claim(world.context, 'other', messageOf(1))).toEqual({ kind: 'drop' });
  expect(woken()).toEqual([]);
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
  expect(woken()).toEqual([messageOf(3).due]);
});

test('an execution that was fenced too late to start is woken like one that waits', async () => {
  const first = await twoWait();
  const waiting = await rowOf(3);
  if (!waiting) throw new Error('it does not wait');
  await world.store.updateRow(waiting, { ...waiting, status: 'RUNNING', fence: 'of a lost worker' });
  const second = await rowOf(2);
  if (second) await world.store.updateRow(second, { ...second, status: 'CANCELLED' });
  expect(await claim(world.context, 'other', messageOf(3))).toEqual({ kind: 'drop' });
  await end(first);
  expect(woken()).toEqual([messageOf(3).due]);
});

describe('an early claim that is undone', () => {
  test('wakes the occurrence that waits for it', async () => {
    world.now = NOON + MINUTE - 300;
    const message = messageOf(1);
    const prepared = await prepare(world.context, message);
    const taken = prepared && (await claimEarly(world.context, 'worker', message, prepared));
    if (!taken) throw new Error('it was not taken');
    // the clock of another machine is ahead
    const other = { ...world.context, clock: { ...world.context.clock, now: () => NOON + 2 * MINUTE } };
    expect(await claim(other, 'other', messageOf(2))).toEqual({ kind: 'drop' });
    world.sent.length = 0;
    await undoClaim(world.context, taken);
    expect(woken()).toEqual([messageOf(2).due]);
  });
});
