// The promises, checked at every write and start, and once more at the end. The checks do not depend on how a promise is kept.

import { type DueKey, dueAtOf, dueKey, isManual } from '../../src/domain/executions/ids.ts';
import { isTerminal, mayFollow, type Row } from '../../src/domain/executions/row.ts';
import { minuteEnd, minuteOf } from '../../src/domain/executions/slots.ts';
import { type Head, isLockOf, mayBecome } from '../../src/domain/jobs/job.ts';
import {
  fireAt,
  isRecurring,
  latestOccurrence,
  nextOccurrence,
  occurrencesAfter,
} from '../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../src/domain/schedule/schedule-schema.ts';
import type { Message } from '../../src/queue/queue.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { regularEntry } from '../../src/scheduling/planning/plan.ts';
import { type MemoryStore, rowKey } from '../../src/store/memory/memory-store.ts';
import type { Shard } from '../../src/store/store.ts';
import type { TaskContext } from '../../src/tasks/task.ts';
import { BULK_NOTE } from './bulk-checks.ts';
import { ChangeChecks } from './change-checks.ts';
import { KeyChecks } from './key-checks.ts';
import { NameChecks } from './name-checks.ts';
import { OperationChecks } from './operation-checks.ts';
import type { Process } from './process.ts';
import { SETTINGS } from './profile.ts';
import { clockText, type SimulatedWorld } from './simulated-world.ts';

export interface Violation {
  readonly invariant: string;
  readonly detail: string;
  readonly at: number;
}

/** A revision of a schedule. Its occurrences from `t0` on are owed until it is withdrawn. */
interface Revision {
  readonly schedule: Schedule;
  readonly t0: number;
  withdrawnAt: number | undefined;
  withdrawnBy: Context | undefined;
  /** When the call that withdrew it has returned. */
  withdrawalReturnedAt: number | undefined;
}

interface JobRecord {
  readonly name: string;
  readonly revisions: Map<string, Revision>;
  /** When a person changed it last. */
  changedAt: number;
  cancelledAt: number | undefined;
  /** When a cancel of the job first returned. */
  cancelReturnedAt: number | undefined;
  highestNumber: number;
  /** Misfire `runOnce`: one run stood for all occurrences that fired until then. */
  coveredUntil: number;
  /** The params that the head has named, in order. `n` tells them apart. */
  readonly params: unknown[];
  /** The number of params that are older than those of an edit that has returned. */
  outdatedParams: number;
}

/** A claim, from the write that opened its row. */
export interface Claim {
  readonly jobId: string;
  readonly due: DueKey;
  readonly number: number;
  readonly row: Row;
  readonly before: Row | undefined;
  readonly process: Process | undefined;
  readonly openedAt: number;
  /** The head before the lock was taken, and when. Undefined with `overlap: allow`, and before. */
  head: Head | undefined;
  lockedAt: number | undefined;
  /** When the lease ends by the true clock if nothing extends it. */
  liveUntil: number;
  started: boolean;
}

export interface Run {
  readonly jobId: string;
  readonly due: DueKey;
  readonly process: Process;
  readonly inHand: InHand;
  readonly claim: Claim;
  readonly overlapAllowed: boolean;
  readonly attempt: number;
  ended: 'succeeded' | 'failed' | undefined;
  recorded: boolean;
}

/** A message that a worker handles. */
export interface InHand {
  readonly process: Process;
  readonly jobId: string;
  readonly due: DueKey;
  /** When the worker could first claim, by its own clock, and by the true one. */
  readonly since: number;
  readonly receivedAt: number;
}

/** The starts of an execution since it was last queued by hand. */
interface Starts {
  counted: number;
  /** Claims that were lost with the right to run and before their start. */
  lostUnstarted: number;
}

const NOT_WITHDRAWN = { withdrawnAt: undefined, withdrawnBy: undefined, withdrawalReturnedAt: undefined };

const isInForce = (head: Head, revision: string): boolean =>
  head.status === 'active' && head.revision === revision;

/** How far a clock may be ahead in the simulator, which is half of what two clocks may be apart. */
const EARLIEST_START_MS = SETTINGS.clockSkewMs / 2;
/** An occurrence that is due later than this before the end may not have ended yet. */
const SETTLED_AFTER_MS = 150_000;

const claimKey = (of: { jobId: string; due: DueKey }, number: number): string => `${rowKey(of)}#${number}`;

export class Checks {
  readonly runs: Run[] = [];
  /** Called with every row that is written. */
  onRow: ((row: Row) => void) | undefined;
  /** Called when a claim has opened its row. */
  onOpened: ((process: Process, of: { readonly jobId: string; readonly due: DueKey }) => void) | undefined;
  readonly changes: ChangeChecks;
  readonly operations: OperationChecks;
  readonly names: NameChecks;
  readonly keys: KeyChecks;
  readonly #world: SimulatedWorld;
  readonly #jobs = new Map<string, JobRecord>();
  readonly #claims = new Map<string, Claim>();
  readonly #history = new Map<string, { at: number; status: Row['status']; number: number }[]>();
  readonly #inHand = new Map<string, InHand[]>();
  readonly #cancelled = new Map<string, number>();
  readonly #requeued = new Map<string, number>();
  readonly #askedToStop = new Set<string>();
  readonly #covering = new Map<string, { jobId: string; due: DueKey; covered: number }>();
  readonly #stalls = new Map<Process, number>();
  readonly #accepted = new Set<string>();
  readonly #highestBeside = new Map<string, number>();
  readonly #starts = new Map<string, Starts>();
  /** Whether no call of this seed fails or loses its response. */
  readonly #answers: boolean;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#answers = world.profile.fail === 0 && world.profile.lost === 0;
    this.changes = new ChangeChecks(world);
    this.operations = new OperationChecks(world);
    this.names = new NameChecks(world);
    this.keys = new KeyChecks(world);
  }

  /** Checks every write of the store from now on. */
  watch(store: MemoryStore): void {
    const { heads, rows, shards, checkpoints } = store;
    const setHead = heads.set.bind(heads);
    heads.set = (key, head) => {
      if (!this.keys.isLeftover(head)) {
        this.#head(heads.get(key), head);
        this.changes.head(heads.get(key), head);
        this.keys.head(heads.get(key), head);
      }
      setHead(key, head);
    };
    this.operations.watch(store);
    this.names.watch(store);
    this.keys.watch(store);
    const setRow = rows.set.bind(rows);
    rows.set = (key, row) => {
      this.#row(rows.get(key), row);
      setRow(key, row);
    };
    const setCheckpoint = checkpoints.set.bind(checkpoints);
    checkpoints.set = (key, saved) => {
      const before = checkpoints.get(key)?.number ?? 0;
      if (saved.number < before)
        this.#world.fail('no checkpoint of an earlier claim replaces a later one', `${key}: ${before}`);
      return setCheckpoint(key, saved);
    };
    const setShard = shards.set.bind(shards);
    shards.set = (key, shard) => {
      this.#shard(shards.get(key), shard);
      return setShard(key, shard);
    };
  }

  /** The name of a job or an execution in a trace, such as A or A@02:15.000. */
  nameOf(jobId: string, due?: DueKey): string {
    const name = this.#jobs.get(jobId)?.name ?? jobId;
    if (due === undefined) return name;
    return `${name}@${clockText(dueAtOf(due))}${due.slice(13)}`;
  }

  get jobIds(): string[] {
    return [...this.#jobs.keys()];
  }

  claimOf(of: { jobId: string; due: DueKey; number: number }): Claim | undefined {
    return this.#claims.get(claimKey(of, of.number));
  }

  #fail(invariant: string, jobId: string, due: DueKey | undefined, detail: string): void {
    this.#world.fail(invariant, `${this.nameOf(jobId, due)}: ${detail}`);
  }

  #rowOf(jobId: string, due: DueKey): Row | undefined {
    return this.#world.store.rows.get(rowKey({ jobId, due }));
  }

  #job(jobId: string): JobRecord {
    const known = this.#jobs.get(jobId);
    if (known) return known;
    const job: JobRecord = {
      name: String.fromCharCode(65 + this.#jobs.size),
      revisions: new Map(),
      changedAt: 0,
      cancelledAt: undefined,
      cancelReturnedAt: undefined,
      highestNumber: 0,
      coveredUntil: 0,
      params: [],
      outdatedParams: 0,
    };
    this.#jobs.set(jobId, job);
    return job;
  }

  #startsOf(key: string): Starts {
    const known = this.#starts.get(key) ?? { counted: 0, lostUnstarted: 0 };
    this.#starts.set(key, known);
    return known;
  }

  // ---- writes --------------------------------------------------------------------------------------------------

  #head(old: Head | undefined, head: Head): void {
    const { now, actor } = this.#world;
    const job = this.#job(head.jobId);
    const { jobId } = head;
    const inForce = old?.status === 'active' ? job.revisions.get(old.revision) : undefined;
    if (old && inForce && (head.status !== 'active' || head.revision !== old.revision)) {
      inForce.withdrawnAt = now;
      inForce.withdrawnBy = actor?.context;
      if (head.status === 'completed' || head.status === 'failed') this.#completed(old, head);
    }
    if (head.status === 'active' && !job.revisions.has(head.revision)) {
      // a bulk operation resumes a job long after its process has begun
      const isBulk = this.operations.bulk.recordOf(head)?.note?.startsWith(BULK_NOTE);
      // so does a request by name, after it has compared
      const plansLater = isBulk || head.applied === head.version;
      const plannedAt = old && actor ? (plansLater ? head.updatedAt : actor.bornAt) : head.createdAt;
      const t0 = Math.max(plannedAt, head.pausedUntil ?? 0);
      job.revisions.set(head.revision, { schedule: head.schedule, t0, ...NOT_WITHDRAWN });
    }
    if (head.status === 'cancelled') job.cancelledAt ??= now;
    if (head.status !== old?.status && !mayBecome(old?.status, head.status))
      this.#fail('jobs change as the table says', jobId, undefined, `${old?.status} to ${head.status}`);
    if (old?.version !== head.version) job.changedAt = now;
    if (head.definition !== old?.definition) job.params.push(this.#paramsOf(head));
    if (old && head.version !== old.version + 1 && head.version !== old.version)
      this.#fail('versions grow by one', jobId, undefined, `${old.version} to ${head.version}`);
    this.#locked(old, head);
    this.#covered(job, old, head);
  }

  #locked(old: Head | undefined, head: Head): void {
    const { lock, jobId } = head;
    if (!old || !lock || (lock.number === old.lock?.number && lock.due === old.lock.due)) return;
    if (old.version !== head.version)
      this.#fail('a claim changes the lock only', jobId, lock.due, 'the version changed with it');
    if (lock.number <= (old.lock?.number ?? 0))
      this.#fail('numbers grow', jobId, lock.due, `${old.lock?.number} is followed by ${lock.number}`);
    const claim = this.claimOf({ jobId, ...lock });
    if (!claim) {
      this.#fail('the row comes before the lock', jobId, lock.due, `no row was opened with ${lock.number}`);
      return;
    }
    claim.head = old;
    claim.lockedAt = this.#world.now;
    this.#world.count('locked');
  }

  #covered(job: JobRecord, old: Head | undefined, head: Head): void {
    const { now, actor } = this.#world;
    const { jobId, lock } = head;
    const covered = head.coveredUntil === undefined ? 0 : dueAtOf(head.coveredUntil);
    const covers = actor !== undefined && head.coveredUntil !== old?.coveredUntil;
    if (covers && covered > now)
      this.#fail('nothing is covered before its time', jobId, undefined, `${covered - now} ms before`);
    // a value that a wrong clock has written is corrected
    const isWrong = dueAtOf(old?.coveredUntil ?? dueKey(0)) > now + (this.#world.power?.clockAhead ?? 0);
    if (old?.coveredUntil && !isWrong && (head.coveredUntil ?? '') < old.coveredUntil)
      this.#fail(
        'coveredUntil never goes back',
        jobId,
        undefined,
        `${old.coveredUntil} to ${head.coveredUntil}`,
      );
    if (covers && covered > 0 && lock)
      this.#covering.set(rowKey({ jobId, due: lock.due }), { jobId, due: lock.due, covered });
    if (covers) job.coveredUntil = Math.max(job.coveredUntil, covered);
  }

  #paramsOf({ jobId, definition, inline }: Head): unknown {
    const { params } = inline ?? this.#world.store.definitions.get(`${jobId}#${definition}`) ?? {};
    return params?.n;
  }

  /** When the lease ends by the true clock. The worker has added the lease to the time of its own clock. */
  #leaseEnd({ leaseUntil = 0 }: Row): number {
    const { actor, settings } = this.#world;
    return actor ? actor.trueTime(leaseUntil - settings.leaseMs) + settings.leaseMs : leaseUntil;
  }

  /** On an embedded server no message waits for the lease of a process that is gone. */
  hidden({ jobId, due }: Message, ms: number): void {
    const { boot, settings } = this.#world;
    // a worker hides a message that it handles for a lease, and after an error for the clock skew
    if (boot === undefined || ms === settings.leaseMs || ms <= 2 * settings.clockSkewMs) return;
    const row = this.#rowOf(jobId, due);
    // a message that waits for a seat of its key waits for no worker of its own
    if (row?.status === 'RUNNING' && row.boot !== boot && !this.#world.store.heads.get(jobId)?.limit)
      this.#fail('no message waits for a worker of another boot', jobId, due, `hidden for ${ms} ms`);
  }

  #completed(old: Head, head: Head): void {
    const { schedule, jobId } = old;
    if (!('at' in schedule)) {
      this.#fail('only one-time jobs are completed', jobId, undefined, head.status);
      return;
    }
    const due = dueKey(Date.parse(schedule.at));
    const ended = this.#history.get(rowKey({ jobId, due }))?.some(({ status }) => isTerminal(status));
    if (!ended)
      this.#fail(
        'a job is completed only when its own occurrence has ended',
        jobId,
        due,
        `${head.status} with ${this.#rowOf(jobId, due)?.status ?? 'no row'}`,
      );
  }

  #shard(old: Shard | undefined, shard: Shard): void {
    const { now, settings } = this.#world;
    // cursors that a wrong clock has moved are corrected
    if (
      this.#world.power ||
      !old ||
      old.dispatchedUntil > minuteOf(now + settings.lookAheadMs + settings.clockSkewMs)
    )
      return;
    if (shard.dispatchedUntil < old.dispatchedUntil || shard.settledUntil < old.settledUntil)
      this.#world.fail('cursors never go back', `shard ${shard.shard}`);
  }

  #row(old: Row | undefined, row: Row): void {
    const { now, actor } = this.#world;
    const { jobId, due, status, number } = row;
    const key = rowKey(row);
    this.onRow?.(row);
    const isSame = old?.status === status && old.number === number;
    if (isSame && status === 'RUNNING') {
      this.#kept(old, row);
      return;
    }
    const segments = this.#history.get(key) ?? [];
    this.#history.set(key, segments);
    segments.push({ at: now, status, number });
    this.#world.count(old ? `${old.status} to ${status}` : status);
    // the notification of an end is marked, or an end is dismissed
    if (!isSame && !mayFollow(old?.status, status))
      this.#fail('rows change as the table says', jobId, due, `${old?.status} to ${status}`);
    if (old && number < old.number) this.#fail('numbers grow', jobId, due, `${old.number} to ${number}`);
    if (status !== 'RUNNING' && row.cancelRequested && !old?.cancelRequested)
      this.#fail('only a RUNNING execution is asked to stop', jobId, due, status);
    if (status !== 'RUNNING' && row.leaseUntil !== undefined)
      this.#fail('only a RUNNING row has a lease', jobId, due, status);
    const head = this.#world.store.heads.get(jobId);
    if (!head) {
      this.#fail('no row without a job', jobId, due, status);
      return;
    }
    const claim = old && this.claimOf(old);
    if (old?.status === 'RUNNING' && claim) this.#left(head, old, row, claim);
    if (status === 'RUNNING') this.#opened(old, row);
    if (status === 'QUEUED' && old && isTerminal(old.status)) {
      this.#cancelled.delete(key);
      this.#askedToStop.delete(key);
      this.#requeued.set(key, now);
      this.#starts.delete(key);
    }
    if (row.error && !EXPECTED_ERRORS.has(row.error.name))
      this.#fail('no unexpected error', jobId, due, `${row.error.name}: ${row.error.message}`);
    if (status === 'CANCELLED' && actor?.kind !== 'api' && !isSame) this.#cancelledByWorker(head, old, row);
    if (status === 'SKIPPED' && !isSame) this.#skipped(head, row);
  }

  /** A heartbeat, or a request to cancel. */
  #kept(old: Row, row: Row): void {
    if (row.cancelRequested) this.#askedToStop.add(rowKey(row));
    const claim = this.claimOf(row);
    if (!claim || row.leaseUntil === old.leaseUntil) return;
    if ((row.leaseUntil ?? 0) < (old.leaseUntil ?? 0))
      this.#fail('a heartbeat only lengthens a lease', row.jobId, row.due, 'it was shortened');
    const { actor } = this.#world;
    if (actor && claim.process !== actor)
      this.#fail('only the holder of a claim extends its lease', row.jobId, row.due, actor.name);
    // the stored lease grows by what has passed on the worker's monotonic clock
    claim.liveUntil = actor
      ? claim.liveUntil + (row.leaseUntil ?? 0) - (old.leaseUntil ?? 0)
      : claim.liveUntil;
    this.#neverTwo(this.runs.find((run) => run.claim === claim));
  }

  #opened(old: Row | undefined, row: Row): void {
    const { now, actor } = this.#world;
    const { jobId, due, number } = row;
    if (old && number <= old.number)
      this.#fail('numbers grow', jobId, due, `${old.number} is opened as ${number}`);
    const early = (old?.nextAttemptAt ?? 0) - (actor?.now() ?? now) - EARLIEST_START_MS;
    if (old?.status === 'RETRYING' && early > 0)
      this.#fail('no attempt before its backoff is over', jobId, due, `${early} ms early`);
    this.#claims.set(claimKey(row, number), {
      ...{ jobId, due, number, row, before: old, process: actor, openedAt: now },
      ...{ head: undefined, lockedAt: undefined, liveUntil: this.#leaseEnd(row), started: false },
    });
    this.#world.count(row.attempt > 1 ? 'opened again' : 'opened');
    if (old?.boot !== undefined && old.boot !== row.boot) this.#world.count('opened after a restart');
    if (actor) this.onOpened?.(actor, row);
  }

  /** A row leaves RUNNING: it ends, waits for its next attempt, is given back or is lost. */
  #left(head: Head, old: Row, row: Row, claim: Claim): void {
    const { jobId, due, status, attempt } = row;
    const { actor } = this.#world;
    const fail = (invariant: string, detail: string) => this.#fail(invariant, jobId, due, detail);
    const run = this.runs.find((one) => one.claim === claim);
    // a worker may find its own earlier claim lost, as any other does
    const isLost = actor !== undefined && actor.now() > (old.leaseUntil ?? 0);
    const isOwn = claim.process !== undefined && claim.process === actor && !isLost;
    if (run) run.recorded ||= isTerminal(status) || status === 'RETRYING';
    const starts = this.#startsOf(rowKey(row));
    const hadRight = head.overlap === 'allow' || claim.lockedAt !== undefined;
    if (!isOwn && !claim.started && hadRight) starts.lostUnstarted++;
    // the shutdown of a worker whose process has stood still may be written after its lease
    const isByOwner = claim.process !== undefined && claim.process === actor;
    const isInterrupted = isByOwner && claim.started && status === 'RETRYING' && attempt < old.attempt;
    if (isInterrupted) starts.counted--;
    if (isOwn && !claim.started && attempt !== old.attempt - 1 && status !== 'CANCELLED')
      fail(
        'attempts count starts',
        `${status} attempt ${attempt}, and attempt ${old.attempt} has not started`,
      );
    if (attempt > row.maxAttempts) fail('attempts count starts', `attempt ${attempt} of ${row.maxAttempts}`);
    if (
      status !== 'CANCELLED' &&
      (attempt < starts.counted || attempt > starts.counted + starts.lostUnstarted)
    )
      fail(
        'attempts count starts',
        `${status} attempt ${attempt}, and ${starts.counted} have started, ${starts.lostUnstarted} may have`,
      );
    if (status === 'SUCCEEDED' && run?.ended !== 'succeeded')
      fail('only a success is recorded as one', 'no run of this claim has succeeded');
    if (status === 'FAILED' && row.error?.name === 'WorkerLost' && attempt < row.maxAttempts)
      fail('failed only when no attempt is left', `attempt ${attempt} of ${row.maxAttempts}`);
    if (status === 'QUEUED') this.#world.count('given back');
  }

  /** A skip needs a reason: a misfire, or another execution of the job that ran or waited for its retry at the decision. */
  #skipped(head: Head, row: Row): void {
    const { now, settings, actor } = this.#world;
    const { jobId, due, reason = '' } = row;
    const fail = () => this.#fail('skipped only for a reason', jobId, due, reason);
    if (reason.startsWith('misfire')) {
      const fires = fireAt(head.schedule, jobId, dueAtOf(due));
      const isCovered = fires <= this.#job(jobId).coveredUntil;
      const late = now + settings.clockSkewMs - fires > head.misfire.graceSeconds * 1000;
      if (!isCovered && !(late && head.misfire.policy === 'skip')) fail();
      return;
    }
    const own = this.#inHand.get(rowKey(row))?.filter(({ process }) => process === actor) ?? [];
    const since = Math.min(now, ...own.map(({ receivedAt }) => receivedAt));
    const prefix = `${jobId}#`;
    for (const [key, segments] of this.#history) {
      if (!key.startsWith(prefix) || key === rowKey(row)) continue;
      const first = Math.max(
        0,
        segments.findLastIndex(({ at }) => at <= since),
      );
      if (segments.slice(first).some(({ status }) => status === 'RUNNING' || status === 'RETRYING')) return;
    }
    fail();
  }

  #cancelledByWorker(head: Head, old: Row | undefined, row: Row): void {
    const { jobId, due } = row;
    if (head.status === 'cancelled' || this.#askedToStop.has(rowKey(row)) || old?.cancelRequested) return;
    const isDead = !isInForce(head, row.revision) && !this.#isPlanned(jobId, due);
    if (isDead && !isManual(row) && (old?.status === 'QUEUED' || !old)) return;
    this.#fail(
      'cancelled only on request',
      jobId,
      due,
      `${old?.status ?? 'no row'} to CANCELLED: ${row.reason}`,
    );
  }

  /** A result may be refused only after the lease of its worker. */
  refusedRow(process: Process, row: Row): void {
    const run = this.runs.find(({ claim }) => claim === this.claimOf(row));
    if (!run || run.process !== process || run.recorded || row.status === 'RUNNING' || !run.ended) return;
    if (row.receivedAt === undefined) return; // no end of the run: the worker has found its own row lost
    const found = this.#rowOf(row.jobId, row.due);
    if (found?.number === row.number && found.status !== 'RUNNING') return; // its own lost response
    if (run.claim.liveUntil > this.#world.now)
      this.#fail(
        "a live worker's result is never thrown away",
        row.jobId,
        row.due,
        `${row.status} refused by ${found?.status}`,
      );
  }

  // ---- runs ----------------------------------------------------------------------------------------------------

  received(process: Process, { jobId, due, fireAt: fires }: Message): InHand {
    const key = rowKey({ jobId, due });
    const list = this.#inHand.get(key) ?? [];
    this.#inHand.set(key, list);
    const receivedAt = this.#world.now;
    const inHand = { process, jobId, due, since: Math.max(process.now(), fires), receivedAt };
    list.push(inHand);
    return inHand;
  }

  /** Writes of claims may be lost, as if their workers were. The task of a lost claim has started, and nothing records it. */
  powerFailed(): void {
    for (const key of this.#starts.keys()) {
      const row = this.#world.store.rows.get(key);
      const isUnstarted = row?.status === 'RUNNING' && !this.claimOf(row)?.started;
      this.#starts.set(key, { counted: (row?.attempt ?? 0) - (isUnstarted ? 1 : 0), lostUnstarted: 0 });
    }
  }

  stalled(process: Process): void {
    this.#stalls.set(process, process.stalledUntil);
  }

  /** The use case has ended for a message. */
  handled(inHand: InHand): void {
    const list = this.#inHand.get(rowKey(inHand)) ?? [];
    list.splice(list.indexOf(inHand), 1);
    const run = this.runs.find((r) => r.inHand === inHand);
    if (!run) this.#givenBack(inHand, list);
    if (!run || run.recorded || run.ended !== 'succeeded' || this.#askedToStop.has(rowKey(run))) return;
    if (run.claim.liveUntil > this.#world.now)
      this.#fail("a live worker's result is never thrown away", run.jobId, run.due, 'it was never written');
  }

  /** A worker whose store answers leaves no row RUNNING that it has not started. */
  #givenBack({ process, jobId, due }: InHand, others: readonly InHand[]): void {
    const row = this.#rowOf(jobId, due);
    const claim = row?.status === 'RUNNING' ? this.claimOf(row) : undefined;
    if (!claim || claim.process !== process || claim.started || !this.#answers) return;
    const hasStopped = (this.#stalls.get(process) ?? 0) >= claim.openedAt;
    if (hasStopped || others.some((other) => other.process === process)) return;
    this.#fail('a claim that does not start is given back', jobId, due, 'its row is RUNNING');
  }

  started(inHand: InHand, ctx: TaskContext<unknown>): Run {
    const { process } = inHand;
    const { now, store } = this.#world;
    const { jobId, signal, fence } = ctx;
    const due = ctx.executionId.slice(jobId.length + 1);
    const claim = this.claimOf({ jobId, due, number: fence });
    if (!claim || claim.process !== process)
      throw new Error(`${this.nameOf(jobId, due)} runs without a claim`);
    claim.started = true;
    const head = store.heads.get(jobId);
    const overlapAllowed = head?.overlap === 'allow';
    const of = { jobId, due, process, inHand, claim, overlapAllowed, attempt: ctx.attempt };
    const run: Run = { ...of, ended: undefined, recorded: false };
    this.runs.push(run);
    const job = this.#job(jobId);
    const fail = (invariant: string, detail: string) => this.#fail(invariant, jobId, due, detail);
    const row = this.#rowOf(jobId, due);
    const isOwn = row?.status === 'RUNNING' && row.number === fence;
    if (isOwn) this.#startsOf(rowKey(run)).counted++;
    this.#notEarly(run);
    if (ctx.attempt > ctx.maxAttempts)
      fail('no more attempts than allowed', `${ctx.attempt} of ${ctx.maxAttempts}`);
    if (this.#startsOf(rowKey(run)).counted > ctx.maxAttempts)
      fail('no more starts than attempts', `${this.#startsOf(rowKey(run)).counted} of ${ctx.maxAttempts}`);
    if (signal.aborted) return run;
    if (claim.liveUntil <= now) {
      if ((this.#stalls.get(process) ?? 0) < now - 10)
        fail('nothing starts without a lease', `it ended ${now - claim.liveUntil} ms ago`);
      return run;
    }
    this.#neverTwo(run);
    this.keys.started(run, this.runs, (other) => this.#isRunning(other));
    if (!isOwn) fail('nothing starts whose row says otherwise', `its row is ${row?.status}`);
    if (!overlapAllowed && claim.lockedAt === undefined)
      fail('nothing starts without the lock', 'it has none');
    const highest = overlapAllowed ? (this.#highestBeside.get(rowKey(run)) ?? 0) : job.highestNumber;
    if (fence <= highest) fail('numbers grow', `${fence} after ${highest}`);
    if (overlapAllowed) this.#highestBeside.set(rowKey(run), fence);
    else job.highestNumber = fence;
    this.#notWithdrawn(job, run);
    this.#notOutdated(job, run, ctx.params);
    if (head) this.#notMisfired(claim.head ?? head, run);
    if (head) this.#inOrder(head, run);
    return run;
  }

  #notEarly({ jobId, due, process, claim }: Run): void {
    const { now } = this.#world;
    const { revision } = claim.row;
    // a manual run starts at once, also if its occurrence was cancelled before its due time
    if (isManual({ revision })) return;
    const rule = this.#job(jobId).revisions.get(revision);
    const fires = rule ? fireAt(rule.schedule, jobId, dueAtOf(due)) : dueAtOf(due);
    const isCorrected = process.clock.offBy() !== 0; // and may just have been
    if (process.now() < fires && !isCorrected)
      this.#fail('nothing starts early', jobId, due, `${fires - process.now()} ms before its time`);
    if (now + EARLIEST_START_MS < fires)
      this.#fail('nothing starts early by the true clock', jobId, due, `${fires - now} ms before its time`);
  }

  /** No two runs of a job have live leases at the same time, and a worker that has lost its lease has stopped. */
  #neverTwo(run: Run | undefined): void {
    if (!run || run.ended || run.process.dead) return;
    const { now } = this.#world;
    for (const other of this.runs) {
      if (other === run || other.ended || other.process.dead || other.jobId !== run.jobId) continue;
      if (run.overlapAllowed && other.due !== run.due) continue;
      const both = `${run.process.name} and ${other.process.name} (${this.nameOf(run.jobId, other.due)})`;
      if (run.claim.liveUntil > now && other.claim.liveUntil > now)
        this.#fail('never two runs at once', run.jobId, run.due, both);
      if (other.claim.liveUntil <= now && this.#isRunning(other))
        this.#fail('who loses the lease stops before it ends', run.jobId, run.due, both);
    }
  }

  /** Whether a run goes on: its lease is live, or its process was not stopped and should have ended it. */
  #isRunning({ ended, process, claim: { liveUntil } }: Run): boolean {
    if (ended || process.dead) return false;
    const { now, settings } = this.#world;
    const lastSure = liveUntil - 2 * settings.clockSkewMs - settings.heartbeatMs;
    return liveUntil > now || (this.#stalls.get(process) ?? 0) < lastSure;
  }

  #notWithdrawn(job: JobRecord, { jobId, due, claim, overlapAllowed }: Run): void {
    const fail = (why: string) => this.#fail('what was withdrawn does not start', jobId, due, why);
    const { lockedAt, before, row } = claim;
    // nothing starts after the call has returned, whenever the run was decided
    if (job.cancelReturnedAt !== undefined) fail('a cancel of the job has returned');
    if (this.#cancelled.has(rowKey({ jobId, due }))) fail('a cancel of it has returned');
    // nothing gets the lock after the write of the change
    if (lockedAt !== undefined && job.cancelledAt !== undefined && lockedAt > job.cancelledAt)
      fail('the job was cancelled before');
    // with `overlap: allow`, what was lost before its only start has not started
    const isLostFirst = overlapAllowed && row.attempt === 2 && this.#startsOf(rowKey(row)).counted === 1;
    const isFirst = !before || before.status === 'QUEUED' || isLostFirst;
    if (!isFirst || isManual(row)) return;
    const rule = job.revisions.get(row.revision);
    const isPlanned = this.#isPlanned(jobId, due);
    if (rule?.withdrawalReturnedAt !== undefined && !isPlanned)
      fail('the withdrawal of its schedule has returned');
    if (
      rule?.withdrawnAt !== undefined &&
      lockedAt !== undefined &&
      lockedAt > rule.withdrawnAt &&
      !isPlanned
    )
      fail(`its schedule was withdrawn at ${clockText(rule.withdrawnAt)}`);
    if (!rule && !overlapAllowed) fail('its schedule was never in force');
  }

  #isPlanned(jobId: string, due: DueKey): boolean {
    const head = this.#world.store.heads.get(jobId);
    return head?.status === 'active' && this.#world.hasEntry(regularEntry(head, dueAtOf(due)));
  }

  #notOutdated(job: JobRecord, { jobId, due }: Run, params: unknown): void {
    const { n } = params as { n?: unknown };
    if (job.params.lastIndexOf(n) < job.outdatedParams)
      this.#fail('a run has the params of the last edit that has returned', jobId, due, `it has ${n}`);
  }

  #notMisfired(head: Head, { jobId, due, claim, process }: Run): void {
    const rule = this.#job(jobId).revisions.get(claim.row.revision);
    if (claim.before || !rule || isManual(claim.row) || !isRecurring(rule.schedule)) return;
    // with `overlap: allow` the policy may have been edited since the claim has read it
    const { changedAt } = this.#job(jobId);
    if (!claim.head && this.#world.now - changedAt < this.#world.settings.startWindowMs) return;
    const fail = (why: string) => this.#fail('misfire does what it says', jobId, due, why);
    const fires = fireAt(rule.schedule, jobId, dueAtOf(due));
    const covered = claim.head?.coveredUntil;
    // a value that a wrong clock has written does not count, nor one that is ahead of a clock that stood still without power
    const past = (claim.row.startedAt ?? 0) - this.#world.settings.startWindowMs;
    if (
      covered !== undefined &&
      fires <= dueAtOf(covered) &&
      dueAtOf(covered) <= Math.min(past, claim.openedAt)
    )
      fail('one run stood for it already');
    const since = Math.min(
      ...(this.#inHand.get(rowKey({ jobId, due })) ?? [])
        .filter((h) => h.process === process)
        .map((h) => h.since),
    );
    if (!Number.isFinite(since) || since - fires <= head.misfire.graceSeconds * 1000) return;
    if (head.misfire.policy === 'skip') fail(`ran ${since - fires} ms late`);
    // older ones may have been missed too, and are in line when it comes back
    if (head.misfire.policy === 'runAll' && head.overlap !== 'allow') fail('did not stand in line');
    // a later occurrence may be in time by another clock, and one that jitter still delays was not missed
    const missedBefore = since - 2 * this.#world.settings.clockSkewMs;
    let latest = latestOccurrence(rule.schedule, dueAtOf(due) - 1, missedBefore);
    while (latest !== undefined && fireAt(rule.schedule, jobId, latest) > missedBefore)
      latest = latestOccurrence(rule.schedule, dueAtOf(due) - 1, latest - 1);
    const now = this.#world.store.heads.get(jobId);
    const isUncovered =
      latest !== undefined && (now?.coveredUntil ?? '') < dueKey(fireAt(rule.schedule, jobId, latest));
    if (head.misfire.policy === 'runOnce' && isUncovered)
      fail('stands for the others that were missed, and they are not covered');
  }

  /** With `overlap: queue`, none starts before an older one that had stood in line when its message arrived. */
  #inOrder(head: Head, { jobId, due, claim, inHand }: Run): void {
    if (head.overlap !== 'queue' || claim.before?.status === 'RETRYING') return;
    const isOlder = (row: Row) => row.jobId === jobId && row.due < due && row.status === 'QUEUED';
    for (const row of this.#world.store.rows.all().filter(isOlder)) {
      const since = this.#history.get(rowKey(row))?.at(-1)?.at ?? 0;
      if (row.queuedAt !== undefined && since < inHand.receivedAt)
        this.#fail('a queue keeps its order', jobId, due, `${this.nameOf(jobId, row.due)} waits`);
    }
  }

  ended(run: Run, how: 'succeeded' | 'failed'): void {
    run.ended = how;
  }

  // ---- returned API calls --------------------------------------------------------------------------------------

  accepted(jobId: string): void {
    this.#accepted.add(jobId);
    if (!this.#world.store.heads.get(jobId))
      this.#fail('an accepted job exists', jobId, undefined, 'it has no head');
  }

  /** An edit or a pause has returned, so no occurrence of earlier schedules starts. Other calls report for themselves. */
  withdrawn(jobId: string, by: Context | undefined, calledAt: number): void {
    for (const rule of this.#job(jobId).revisions.values()) {
      const isBefore = rule.withdrawnAt !== undefined && rule.withdrawnAt <= calledAt;
      if (isBefore || (by && rule.withdrawnBy === by)) rule.withdrawalReturnedAt ??= this.#world.now;
    }
  }

  editedParams(jobId: string, n: number): void {
    const job = this.#job(jobId);
    job.outdatedParams = Math.max(job.outdatedParams, job.params.lastIndexOf(n));
  }

  cancelledJob(jobId: string): void {
    this.#job(jobId).cancelReturnedAt ??= this.#world.now;
  }

  cancelledExecution(jobId: string, due: DueKey, calledAt: number): void {
    const key = rowKey({ jobId, due });
    if ((this.#requeued.get(key) ?? 0) < calledAt) this.#cancelled.set(key, this.#world.now);
  }

  startedByHand(jobId: string, due: DueKey): void {
    if (!this.#rowOf(jobId, due)) this.#fail('an accepted run-now has a row', jobId, due, 'it has none');
  }

  // ---- the end of the simulation -------------------------------------------------------------------------------

  /** What has not ended although nothing blocks it. Empty if no promise is broken. */
  unfinished(): string[] {
    const { now, store } = this.#world;
    const found: string[] = [];
    const until = now - SETTLED_AFTER_MS;
    const old = (due: DueKey) => dueAtOf(due) <= until;
    const open = (jobId: string, due: DueKey) => !isTerminal(this.#rowOf(jobId, due)?.status);
    const say = (what: string, jobId: string, due?: DueKey) => {
      const row = due === undefined ? undefined : this.#rowOf(jobId, due);
      found.push(
        `${what}: ${this.nameOf(jobId, due)}${due === undefined ? '' : ` (${row?.status ?? 'no row'})`}`,
      );
    };
    for (const row of store.rows.all()) {
      if (!isTerminal(row.status) && old(row.due)) say('a row is open for ever', row.jobId, row.due);
    }
    found.push(...this.operations.unfinished(), ...this.names.unfinished());
    for (const run of this.runs) {
      // a power failure takes back claims, and a pause may withdraw the occurrence then
      if (this.#world.power && !this.#rowOf(run.jobId, run.due)) continue;
      if (old(run.due) && open(run.jobId, run.due)) say('a run left no record', run.jobId, run.due);
    }
    const skipped = ({ jobId, due }: { jobId: string; due: DueKey }) =>
      this.#rowOf(jobId, due)?.status === 'SKIPPED';
    for (const { jobId, due, covered } of this.#covering.values()) {
      // another run may stand for all of them
      const stands = [...this.#covering.values()].some(
        (other) => other.jobId === jobId && other.covered >= covered && !skipped(other),
      );
      if (old(due) && skipped({ jobId, due }) && !stands)
        say('the run that stands for others never was', jobId, due);
    }
    for (const jobId of this.#accepted) if (!store.heads.get(jobId)) say('an accepted job is gone', jobId);
    for (const head of store.heads.all()) {
      const { jobId } = head;
      if (this.keys.isLeftover(head) || head.status !== 'active') continue;
      const rule = this.#job(jobId).revisions.get(head.revision);
      if (!rule) continue;
      for (const due of this.owed(head, until))
        if (open(jobId, due)) say('an owed occurrence never ended', jobId, due);
      if ('at' in head.schedule && Date.parse(head.schedule.at) <= until)
        say('a one-time job is not completed', jobId);
      this.#chain(head, rule, say);
    }
    return found;
  }

  /** The occurrences up to `until` that the current schedule owes. */
  owed(head: Head, until: number): DueKey[] {
    const rule = head.status === 'active' ? this.#job(head.jobId).revisions.get(head.revision) : undefined;
    if (!rule) return [];
    const dues: DueKey[] = [];
    for (const due of occurrencesAfter(rule.schedule, rule.t0 - 1)) {
      if (due > until) break;
      dues.push(dueKey(due));
    }
    return dues;
  }

  /** Whether the lock of the job belongs to an execution that runs or waits for its next attempt. */
  isLocked(head: Head, except: DueKey): boolean {
    const row = head.lock && head.lock.due !== except ? this.#rowOf(head.jobId, head.lock.due) : undefined;
    return row?.status === 'RETRYING' || (row?.status === 'RUNNING' && isLockOf(head, row));
  }

  /** The chain of a schedule continues if the first occurrence after the cursor has its entry. */
  #chain(head: Head, rule: Revision, say: (what: string, jobId: string, due?: DueKey) => void): void {
    const shard = this.#world.shardRow(head.jobId);
    if (!shard) return;
    const { now, settings } = this.#world;
    // a cursor that a wrong clock has moved does not count
    const cursor = Math.min(shard.dispatchedUntil, minuteOf(now + settings.lookAheadMs));
    const next = nextOccurrence(rule.schedule, Math.max(minuteEnd(cursor), rule.t0) - 1);
    if (next === undefined) return;
    const searched = this.#world.searchOf(head, cursor);
    if (searched !== undefined && searched < next) return;
    if (!this.#world.hasEntry(regularEntry(head, next))) say('nobody has planned', head.jobId, dueKey(next));
  }
}

/** The errors that tasks throw, and those that the scheduler records. */
const EXPECTED_ERRORS: ReadonlySet<string> = new Set([
  'TaskFailed',
  'DoNotRetry',
  'RetryAfter',
  'Timeout',
  'WorkerLost',
  'InjectedFault',
]);
