// The decision of a claim in every combination of facts, compared with the table of docs/protocol.md. A case is described in
// words, and the table sees these words only, so that it shares no code with the decision.
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { dueKey, MANUAL, manualKey } from '../../src/domain/executions/ids.ts';
import {
  isTerminal,
  mayFollow,
  OPEN,
  type Row,
  type RowStatus,
  TERMINAL,
} from '../../src/domain/executions/row.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { type ClaimFacts, type Decision, decideClaim } from '../../src/scheduling/claiming/decide-claim.ts';
import { aHead, aMessage, aRow } from '../support/fixtures.ts';

const NOW = Date.parse('2026-12-01T12:00:00Z');
const SKEW = 2_000;
const GRACE = 60_000;
const OVERLAPS = ['skip', 'queue', 'allow'] as const;
const MAX_ATTEMPTS = 3;
const NUMBER = 1_000;
const OTHER_DUE = NOW - 86_400_000;

/** `revision`: that of the schedule in force, compared with that of the message. */
interface JobCase {
  readonly status: Head['status'];
  readonly revision: 'same' | 'other' | 'other, planned again';
}

const JOBS: readonly JobCase[] = (['active', 'paused', 'cancelled', 'completed', 'failed'] as const).flatMap(
  (status) => (['same', 'other', 'other, planned again'] as const).map((revision) => ({ status, revision })),
);

interface Timing {
  readonly name: string;
  readonly lateMs: number;
  readonly policy: Head['misfire']['policy'];
  readonly isOnce?: true;
  /** The schedule in force has another jitter than that of the message. */
  readonly isEarly?: true;
  /** `coveredUntil` of the head. */
  readonly cover?: number;
  /** An earlier run stands for the occurrence. */
  readonly isCovered?: true;
  readonly isMissed?: true;
  /** What a claim writes as `coveredUntil`: what there was, unless it says something else. */
  readonly coverAfter?: number | 'none';
}

const MISSED = { lateMs: GRACE + 1, isMissed: true } as const;
const TIMINGS: readonly Timing[] = [
  { name: 'in time', lateMs: 0, policy: 'runOnce' },
  { name: 'not due yet', lateMs: -1, policy: 'runOnce', isEarly: true },
  { name: 'at the end of the grace period', lateMs: GRACE, policy: 'skip' },
  { name: 'at the end of the grace period', lateMs: GRACE, policy: 'runAll' },
  { name: 'missed', ...MISSED, policy: 'skip' },
  { name: 'missed', ...MISSED, policy: 'runAll' },
  { name: 'missed', ...MISSED, policy: 'runOnce', coverAfter: NOW - 2 * SKEW },
  {
    name: 'missed, more is covered',
    ...MISSED,
    policy: 'runOnce',
    cover: NOW - GRACE - 5_000,
    coverAfter: NOW - 2 * SKEW,
  },
  { name: 'covered', lateMs: SKEW + 1, policy: 'runOnce', cover: NOW - SKEW - 1, isCovered: true },
  { name: 'covered and missed', ...MISSED, policy: 'runAll', cover: NOW - 3 * SKEW, isCovered: true },
  { name: 'covered, but in time by some clock', lateMs: SKEW, policy: 'runOnce', cover: NOW },
  { name: 'later than what is covered', lateMs: 5_000, policy: 'runOnce', cover: NOW - 5_001 },
  { name: 'covered by a wrong clock', lateMs: 5_000, policy: 'runOnce', cover: NOW + 1, coverAfter: 'none' },
  { name: 'the only one, late', lateMs: GRACE + 1, policy: 'skip', isOnce: true },
  { name: 'the only one, late', lateMs: GRACE + 1, policy: 'runAll', isOnce: true },
];

interface RowCase {
  readonly name: string;
  /** Undefined if there is no row. */
  readonly status?: RowStatus;
  readonly byHand?: true;
  /** The message is not that of the run by hand, but the late one of the schedule. */
  readonly lateMessage?: true;
  readonly cancelRequested?: true;
  readonly covers?: true;
  readonly waited?: true;
  /** The schedule in force has planned the row. */
  readonly ofSchedule?: true;
  readonly nextAttemptAt?: number;
  readonly lease?: 'live' | 'over';
  readonly leaseUntil?: number;
  /** The boot of the embedded server whose worker claimed it, and the present one. */
  readonly boots?: readonly [string, string];
  readonly attempt?: number;
  readonly was?: 'QUEUED' | 'RETRYING';
}

const LIVE = { status: 'RUNNING', lease: 'live', leaseUntil: NOW - SKEW, attempt: 1, was: 'QUEUED' } as const;
const LOST = {
  status: 'RUNNING',
  lease: 'over',
  leaseUntil: NOW - SKEW - 1,
  attempt: 1,
  was: 'QUEUED',
} as const;
const ROWS: readonly RowCase[] = [
  { name: 'absent' },
  { name: 'absent, of a run by hand', byHand: true },
  { name: 'queued', status: 'QUEUED' },
  { name: 'queued, in line', status: 'QUEUED', waited: true },
  { name: 'queued, its first attempt was lost', status: 'QUEUED', attempt: 1 },
  { name: 'queued, given back, and it covers others', status: 'QUEUED', covers: true },
  { name: 'queued, in line, and it covers others', status: 'QUEUED', covers: true, waited: true },
  { name: 'queued, of the schedule in force', status: 'QUEUED', ofSchedule: true },
  { name: 'queued, to be cancelled', status: 'QUEUED', cancelRequested: true },
  { name: 'queued by hand', status: 'QUEUED', byHand: true },
  {
    name: 'queued by hand, and the late message of the schedule',
    status: 'QUEUED',
    byHand: true,
    lateMessage: true,
  },
  { name: 'retrying', status: 'RETRYING' },
  { name: 'retrying, its time has come', status: 'RETRYING', nextAttemptAt: NOW },
  { name: 'retrying, too early', status: 'RETRYING', nextAttemptAt: NOW + 1 },
  {
    name: 'retrying, too early, to be cancelled',
    status: 'RETRYING',
    nextAttemptAt: NOW + 1,
    cancelRequested: true,
  },
  { name: 'retrying by hand', status: 'RETRYING', byHand: true },
  { name: 'running', ...LIVE },
  { name: 'running, to be cancelled', ...LIVE, cancelRequested: true },
  { name: 'running in this boot', ...LIVE, boots: ['b', 'b'] },
  { name: 'running in an earlier boot', ...LIVE, lease: 'over', boots: ['a', 'b'] },
  { name: 'lost in this boot', ...LOST, boots: ['b', 'b'] },
  { name: 'lost', ...LOST },
  { name: 'lost by hand', ...LOST, byHand: true },
  { name: 'lost, to be cancelled', ...LOST, cancelRequested: true },
  { name: 'lost in its second attempt', ...LOST, attempt: 2, was: 'RETRYING' },
  { name: 'lost in its last attempt', ...LOST, attempt: MAX_ATTEMPTS, was: 'RETRYING' },
  ...TERMINAL.map((status) => ({ name: status.toLowerCase(), status })),
];

interface LockCase {
  readonly name: string;
  readonly of?: 'this claim' | 'an earlier claim' | 'another';
  /** The row of the other execution. Undefined if it was not found. */
  readonly status?: RowStatus;
  /** Whether that row was read as it was before the lock. */
  readonly isOld?: true;
  /** Whether that row was opened again since, by a claim without the lock. */
  readonly isNew?: true;
  /** Whether the worker of that row is lost. */
  readonly isLost?: true;
}

const STATUSES = [...OPEN, ...TERMINAL] as const;
const LOCKS: readonly LockCase[] = [
  { name: 'nobody' },
  { name: 'this claim', of: 'this claim' },
  { name: 'an earlier claim of this execution', of: 'an earlier claim' },
  { name: 'another, without a row', of: 'another' },
  ...STATUSES.map((status) => ({ name: `another, ${status}`, of: 'another' as const, status })),
  { name: 'another, RUNNING by a lost worker', of: 'another', status: 'RUNNING', isLost: true },
  { name: 'another, RUNNING by a claim without the lock', of: 'another', status: 'RUNNING', isNew: true },
  ...(['RUNNING', 'QUEUED', 'SUCCEEDED'] as const).map((status) => ({
    ...{ name: `another, ${status} in an old read`, of: 'another' as const, status, isOld: true as const },
  })),
];

interface Case {
  /** Undefined if there is no job. */
  readonly job: JobCase | undefined;
  readonly overlap: (typeof OVERLAPS)[number];
  readonly timing: Timing;
  readonly row: RowCase;
  readonly lock: LockCase;
  readonly isBehind: boolean;
}

const [IN_TIME] = TIMINGS as [Timing];
const [NOBODY] = LOCKS as [LockCase];

function* cases(): Generator<Case> {
  for (const row of ROWS) {
    yield { job: undefined, overlap: 'skip', timing: IN_TIME, row, lock: NOBODY, isBehind: false };
    for (const job of JOBS)
      for (const overlap of OVERLAPS)
        for (const timing of TIMINGS)
          for (const lock of LOCKS)
            for (const isBehind of [false, true]) yield { job, overlap, timing, row, lock, isBehind };
  }
}

const EVERY_MINUTE = { every: 'PT1M', startAt: '2026-11-01T00:00:00Z' };
const HEAD = aHead({ schedule: EVERY_MINUTE, version: 1 });
const ROW = aRow({ maxAttempts: MAX_ATTEMPTS, number: NUMBER });
const MESSAGE = aMessage();

/** The facts that a case describes. */
function factsOf({ job, overlap, timing, row, lock, isBehind }: Case): ClaimFacts {
  const dueAt = NOW - timing.lateMs;
  const isOwnKey = row.byHand && !row.lateMessage;
  const due = isOwnKey ? manualKey(dueAt, 'k3f9a1') : dueKey(dueAt);
  const revision = isOwnKey ? MANUAL : 'of the message';
  const inForce = job?.revision === 'same' ? 'of the message' : 'in force';
  const own: Row | undefined = row.status && {
    ...ROW,
    due,
    status: row.status,
    attempt: row.attempt ?? 0,
    revision: row.byHand ? MANUAL : row.ofSchedule ? inForce : 'of the message',
    ...(row.cancelRequested && { cancelRequested: true }),
    ...(row.covers && { covers: true }),
    ...(row.waited && { queuedAt: NOW - 1 }),
    ...(row.nextAttemptAt !== undefined && { nextAttemptAt: row.nextAttemptAt }),
    ...(row.leaseUntil !== undefined && { leaseUntil: row.leaseUntil }),
    ...(row.was && { was: row.was }),
    ...(row.boots && { boot: row.boots[0] }),
  };
  const locks = {
    'this claim': { due, number: NUMBER },
    'an earlier claim': { due, number: NUMBER - 1 },
    another: { due: dueKey(OTHER_DUE), number: NUMBER },
  };
  const head: Head | undefined = job && {
    ...HEAD,
    overlap,
    status: job.status,
    revision: inForce,
    schedule: timing.isOnce ? { at: new Date(dueAt).toISOString() } : EVERY_MINUTE,
    misfire: { policy: timing.policy, graceSeconds: GRACE / 1000 },
    ...(timing.cover !== undefined && { coveredUntil: dueKey(timing.cover) }),
    ...(lock.of && { lock: locks[lock.of] }),
  };
  const number = NUMBER - (lock.isOld ? 1 : 0) + (lock.isNew ? 1 : 0);
  const lease = { leaseUntil: lock.isLost ? NOW - SKEW - 1 : NOW + 1, boot: row.boots?.[1] };
  return {
    ...{ now: NOW, clockSkewMs: SKEW, boot: row.boots?.[1] },
    message: { ...MESSAGE, due, revision },
    ...{ row: own, head },
    lockRow:
      lock.of === 'another' && lock.status
        ? {
            ...ROW,
            due: dueKey(OTHER_DUE),
            status: lock.status,
            number,
            ...(lock.status === 'RUNNING' && lease),
          }
        : undefined,
    isPlannedAgain: job?.revision === 'other, planned again',
    isBehind,
  };
}

const isLost = ({ row }: Case) => row.status === 'RUNNING' && row.lease === 'over';
/** Without a lock to ask, each opened row counts as a start. */
const hasStarted = ({ overlap, lock }: Case) => overlap === 'allow' || lock.of === 'this claim';
const isFirst = ({ row }: Case) => row.status !== 'RETRYING';
/** Of the schedule, and absent or given back by a claim that did not start. */
const isFresh = ({ row }: Case) => isFirst({ row } as Case) && !row.byHand && !row.waited && !row.attempt;
const isMissed = ({ row, timing }: Case) =>
  isFirst({ row } as Case) && !row.byHand && timing.isMissed === true;
const isWithdrawn = ({ job, row }: Case) =>
  isFirst({ row } as Case) &&
  !row.byHand &&
  (job?.status !== 'active' || (job.revision === 'other' && row.ofSchedule !== true));
const isOccupied = ({ overlap, lock }: Case) =>
  overlap !== 'allow' &&
  lock.of === 'another' &&
  (lock.status === 'RETRYING' || (lock.status === 'RUNNING' && !lock.isNew));
/** Of the schedule, with `skip`, and not to be kept. */
const maySkip = (c: Case) =>
  c.overlap === 'skip' && isFirst(c) && !c.row.byHand && !c.row.covers && !standsInLine(c);
const standsInLine = (c: Case) =>
  c.overlap === 'queue' || (c.overlap === 'skip' && isMissed(c) && c.timing.policy === 'runAll');
const mustBeSure = ({ overlap, lock }: Case) =>
  overlap !== 'allow' && lock.of === 'another' && (lock.status === undefined || lock.isOld === true);

const END: Decision = { do: 'end' };
const WAIT: Decision = { do: 'wait' };
const ends = (status: RowStatus, reason: string): Decision => ({
  ...{ do: 'write', change: { status, reason, finishedAt: NOW } },
});
const lost = (attempt: number, status: RowStatus, more: object): Decision => ({
  ...{ do: 'write', change: { status, attempt, leaseUntil: undefined, was: undefined, ...more } },
});
const workerLost = (attempt: number) => ({
  error: { name: 'WorkerLost', message: `the worker of attempt ${attempt} of 3 stopped answering` },
});
const counted = (c: Case) => (c.row.attempt ?? 0) - (hasStarted(c) ? 0 : 1);

function coverAfter({ timing, row }: Case): string | undefined {
  const { cover, coverAfter: after } = timing;
  if (after === 'none') return undefined;
  // a retry, a run by hand and one that has waited for others or was lost say nothing about what was missed
  const mayCover = isFresh({ row } as Case) || (isFirst({ row } as Case) && !row.byHand && row.covers);
  const until = mayCover ? (after ?? cover) : cover;
  return until === undefined ? undefined : dueKey(until);
}

/** The first line that fits. */
const TABLE: readonly [string, (c: Case) => boolean, (c: Case) => Decision][] = [
  ['there is no job', ({ job }) => job === undefined, () => END],
  ['the row is terminal', ({ row }) => isTerminal(row.status), () => END],
  [
    'it runs',
    ({ row }) => row.lease === 'live',
    ({ row }) => ({ do: 'come back', at: (row.leaseUntil ?? 0) + SKEW + 1 }),
  ],
  [
    'it is lost, and cancelled',
    (c) => isLost(c) && (c.job?.status === 'cancelled' || c.row.cancelRequested === true),
    (c) => lost(counted(c), 'CANCELLED', { reason: 'cancelled while its worker was lost', finishedAt: NOW }),
  ],
  [
    'it is lost, and never started',
    (c) => isLost(c) && !hasStarted(c),
    (c) => lost(counted(c), c.row.was ?? 'QUEUED', { nextAttemptAt: NOW }),
  ],
  [
    'it is lost in its last attempt',
    (c) => isLost(c) && c.row.attempt === MAX_ATTEMPTS,
    () => lost(MAX_ATTEMPTS, 'FAILED', { ...workerLost(MAX_ATTEMPTS), finishedAt: NOW }),
  ],
  [
    'it is lost in its first attempt, and nobody can tell whether that has started',
    (c) => isLost(c) && c.overlap === 'allow' && c.row.attempt === 1,
    () => lost(1, 'QUEUED', { ...workerLost(1), nextAttemptAt: NOW }),
  ],
  [
    'it is lost',
    isLost,
    ({ row }) => lost(row.attempt ?? 0, 'RETRYING', { ...workerLost(row.attempt ?? 0), nextAttemptAt: NOW }),
  ],
  [
    'a cancel is requested',
    ({ row }) => row.cancelRequested === true,
    () => ends('CANCELLED', 'cancelled by request'),
  ],
  [
    'the job is cancelled',
    ({ job }) => job?.status === 'cancelled',
    ({ row }) => (row.status ? ends('CANCELLED', 'the job was cancelled') : END),
  ],
  ['the row of a run by hand is gone', ({ row }) => row.byHand === true && !row.status, () => END],
  [
    'it is withdrawn',
    isWithdrawn,
    ({ row }) => (row.status ? ends('CANCELLED', 'the job was withdrawn while this waited') : END),
  ],
  [
    'the retry is too early',
    ({ row }) => row.nextAttemptAt === NOW + 1,
    () => ({ do: 'come back', at: NOW + 1 }),
  ],
  [
    'its time has not come',
    (c) => isFirst(c) && !c.row.byHand && c.timing.isEarly === true,
    () => ({ do: 'come back', at: NOW + 1 }),
  ],
  [
    'it is covered',
    (c) => isFresh(c) && !c.row.covers && c.timing.isCovered === true,
    () => ends('SKIPPED', 'misfire: one run stood for all that were missed'),
  ],
  [
    'it is missed, and skipped',
    (c) => !c.row.status && isMissed(c) && c.timing.policy === 'skip',
    () => ends('SKIPPED', 'misfire: 60 s late, 60 s allowed'),
  ],
  [
    'the worker of another one is lost, and what becomes of that one is not known yet',
    (c) => isOccupied(c) && maySkip(c) && c.lock.isLost === true,
    () => ({ do: 'come back', at: NOW + 1_000 }),
  ],
  [
    'another one runs, and it is skipped',
    (c) => isOccupied(c) && maySkip(c),
    () =>
      ends('SKIPPED', `overlap: the execution due ${new Date(OTHER_DUE).toISOString()} was still running`),
  ],
  ['another one runs', isOccupied, () => WAIT],
  ['an older one waits', (c) => isFirst(c) && standsInLine(c) && c.isBehind, () => WAIT],
  [
    'all that were missed stand in line first',
    (c) => !c.row.status && isMissed(c) && c.timing.policy === 'runAll' && c.overlap !== 'allow',
    () => WAIT,
  ],
  ['it is free', () => true, (c) => ({ do: 'claim', surely: mustBeSure(c), cover: coverAfter(c) })],
];

const describeCase = ({ job, overlap, timing, row, lock, isBehind }: Case): string =>
  [
    job ? `job ${job.status}, revision ${job.revision}` : 'no job',
    `overlap ${overlap}`,
    `${timing.name} (${timing.policy})`,
    `row ${row.name}`,
    `lock of ${lock.name}`,
    ...(isBehind ? ['behind an older one'] : []),
  ].join('; ');

interface Decided {
  readonly c: Case;
  readonly facts: ClaimFacts;
  readonly decision: Decision;
}

const statusAfter = ({ decision }: Decided) => (decision.do === 'write' ? decision.change.status : undefined);
const attemptAfter = ({ decision }: Decided) =>
  decision.do === 'write' ? (decision.change.attempt ?? 0) : 0;

/** What is true in every case, whatever the table says. */
const PROPERTIES: readonly [string, (one: Decided) => boolean][] = [
  [
    'nothing is claimed that has ended, or that another worker runs',
    ({ c: { row }, decision }) =>
      decision.do !== 'claim' || !(row.status === 'RUNNING' || isTerminal(row.status)),
  ],
  [
    'nothing is claimed beside a row that runs or retries',
    ({ c, decision }) => decision.do !== 'claim' || !isOccupied(c),
  ],
  [
    'what could run beside another is claimed only if the reads are sure',
    ({ facts: { head, lockRow, message }, decision }) =>
      decision.do !== 'claim' ||
      decision.surely ||
      head?.lock === undefined ||
      head.overlap === 'allow' ||
      head.lock.due === message.due ||
      (lockRow?.number ?? 0) >= head.lock.number,
  ],
  [
    'of a job that is cancelled nothing is claimed, of one that is not active only what has begun or was asked for',
    ({ c: { job, row }, decision }) =>
      decision.do !== 'claim' ||
      job?.status === 'active' ||
      (job?.status !== 'cancelled' && (row.status === 'RETRYING' || row.byHand === true)),
  ],
  [
    'a write follows the table of transitions',
    (one) => {
      const status = statusAfter(one);
      return status === undefined || mayFollow(one.c.row.status, status);
    },
  ],
  [
    'a write never counts more attempts than there were',
    (one) => attemptAfter(one) <= (one.c.row.attempt ?? 0),
  ],
  [
    'an open row is never forgotten: its message ends only with a terminal row, or without one',
    ({ c: { job, row }, decision }) => decision.do !== 'end' || !job || !row.status || isTerminal(row.status),
  ],
];

describe('in every combination of facts', () => {
  const MAX_SHOWN = 5;
  const used = new Set<string>();
  const wrong: string[] = [];
  const broken = new Map(PROPERTIES.map(([name]) => [name, [] as string[]]));

  beforeAll(() => {
    for (const c of cases()) {
      const facts = factsOf(c);
      const one: Decided = { c, facts, decision: decideClaim(facts) };
      const shown = () => `${describeCase(c)}: ${JSON.stringify(one.decision)}`;
      const [name, , expected] = TABLE.find(([, fits]) => fits(c)) ?? expect.fail(`no line fits ${shown()}`);
      used.add(name);
      if (wrong.length < MAX_SHOWN && !isDeepStrictEqual(one.decision, expected(c)))
        wrong.push(`${shown()}, but "${name}" says ${JSON.stringify(expected(c))}`);
      for (const [property, holds] of PROPERTIES) {
        const found = broken.get(property) ?? [];
        if (found.length < MAX_SHOWN && !holds(one)) found.push(shown());
      }
    }
  });

  test('the decision is that of the first line of the table that fits', () => expect(wrong).toEqual([]));

  test('each line of the table fits somewhere', () =>
    expect(TABLE.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]));

  test.each(PROPERTIES.map(([name]) => name))('%s', (name) => expect(broken.get(name)).toEqual([]));
});
