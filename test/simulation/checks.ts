// The promises, checked at every write and start, and once more at the end. The checks do not depend on how a promise is
// kept.

import { type DueKey, dueAtOf, dueKey, isManual } from '../../src/domain/executions/ids.ts';
import { isTerminal, mayFollow, type Row } from '../../src/domain/executions/row.ts';
import { minuteEnd, minuteOf } from '../../src/domain/executions/slots.ts';
import { type Head, type Hold, type HoldItem, mayBecome } from '../../src/domain/jobs/job.ts';
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
import { Attempts } from './attempts.ts';
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
  /** When the head got its current stamp. */
  stampAt: number;
  cancelledAt: number | undefined;
  /** When a cancel of the job first returned. */
  cancelReturnedAt: number | undefined;
  highestFence: number;
  /** Misfire `runOnce`: one run stood for all occurrences that fired until then. */
  coveredUntil: number;
  /** The params that the head has named, in order. `n` tells them apart. */
  readonly params: unknown[];
  /** The number of params that are older than those of an edit that has returned. */
  outdatedParams: number;
  /** The executions that were held without a row when their schedule was withdrawn. They continue, so they must end. */
  readonly mustEnd: Set<DueKey>;
}

/** A hold, from the write that claimed it. */
interface Take {
  readonly hold: Hold;
  readonly jobId: string;
  readonly process: Process | undefined;
  readonly at: number;
  /** The head before the claim. Undefined with `overlap: allow`. */
  readonly head: Head | undefined;
  readonly row: Row | undefined;
  /** Misfire `runOnce`: one run had stood for all occurrences that fired until then. */
  readonly coveredUntil: number;
  /** Whether the claim replaced a hold of the same execution. */
  readonly over: boolean;
  /** Whether calls of the store may have failed when it was made, and with them its undo. */
  readonly underFaults: boolean;
  /** When the lease ends by the true clock if nothing extends it. */
  liveUntil: number;
  /** Whether it is an early claim. */
  readonly ahead: boolean;
  /** When the run was decided: at the claim. An early claim is decided by a read after the fire time, or at the start. */
  decidedAt: number | undefined;
}

export interface Run {
  readonly jobId: string;
  readonly due: DueKey;
  readonly process: Process;
  readonly inHand: InHand;
  readonly take: Take;
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
  /** When the worker could first claim, by its own clock. */
  readonly since: number;
}

const NOT_WITHDRAWN = { withdrawnAt: undefined, withdrawnBy: undefined, withdrawalReturnedAt: undefined };

const isInForce = (head: Head, revision: string): boolean =>
  head.status === 'active' && head.revision === revision;

/** How far a clock may be ahead in the simulator, which is half of what two clocks may be apart. */
const EARLIEST_CLAIM_MS = SETTINGS.clockSkewMs / 2;
/** An occurrence that is due later than this before the end may not have ended yet. */
const SETTLED_AFTER_MS = 150_000;

export class Checks {
  readonly runs: Run[] = [];
  /** Called with every row that is written. */
  onRow: ((row: Row) => void) | undefined;
  /** Called at every early claim. */
  onTakenAhead: ((process: Process) => void) | undefined;
  readonly changes: ChangeChecks;
  readonly operations: OperationChecks;
  readonly names: NameChecks;
  readonly keys: KeyChecks;
  readonly #world: SimulatedWorld;
  readonly #jobs = new Map<string, JobRecord>();
  readonly #takes = new Map<string, Take>();
  readonly #history = new Map<string, { at: number; status: Row['status']; fence: string | undefined }[]>();
  readonly #inHand = new Map<string, InHand[]>();
  readonly #cancelled = new Map<string, number>();
  readonly #requeued = new Map<string, number>();
  readonly #askedToStop = new Set<string>();
  /** The executions whose schedule was withdrawn between an early claim and the fire time. */
  readonly #withdrawnAhead = new Set<string>();
  readonly #covering = new Map<string, { jobId: string; due: DueKey }>();
  readonly #stalls = new Map<Process, number>();
  readonly #accepted = new Set<string>();
  readonly #highestBeside = new Map<string, number>();
  readonly #attempts = new Attempts();

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.changes = new ChangeChecks(world);
    this.operations = new OperationChecks(world);
    this.names = new NameChecks(world);
    this.keys = new KeyChecks(world);
  }

  /** Checks every write of the store from now on. */
  watch(store: MemoryStore): void {
    const { heads, rows, holds, shards } = store;
    const setHead = heads.set.bind(heads);
    heads.set = (key, head) => {
      if (!this.keys.isLeftover(head)) {
        this.#head(heads.get(key), head);
        this.changes.head(heads.get(key), head);
        this.keys.head(heads.get(key), head);
      }
      setHead(key, head);
    };
    const readHead = heads.read.bind(heads);
    heads.read = (key, consistent) => {
      const head = readHead(key, consistent);
      if (consistent && head) this.#looked(head);
      return head;
    };
    this.operations.watch(store);
    this.names.watch(store);
    this.keys.watch(store);
    const setRow = rows.set.bind(rows);
    rows.set = (key, row) => {
      this.#row(rows.get(key), row);
      setRow(key, row);
    };
    const setHold = holds.set.bind(holds);
    holds.set = (key, item) => {
      this.#holdItem(holds.get(key), item);
      return setHold(key, item);
    };
    const removeHold = holds.delete.bind(holds);
    holds.delete = (key) => {
      const item = holds.get(key);
      if (item) this.#attempts.givenBack(item.jobId, item.hold);
      return removeHold(key);
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
      stampAt: this.#world.now,
      cancelledAt: undefined,
      cancelReturnedAt: undefined,
      highestFence: 0,
      coveredUntil: 0,
      params: [],
      outdatedParams: 0,
      mustEnd: new Set(),
    };
    this.#jobs.set(jobId, job);
    return job;
  }

  // ---- writes --------------------------------------------------------------------------------------------------

  #head(old: Head | undefined, head: Head): void {
    const { now, actor } = this.#world;
    const job = this.#job(head.jobId);
    const { jobId, hold } = head;
    const inForce = old?.status === 'active' ? job.revisions.get(old.revision) : undefined;
    if (old && inForce && (head.status !== 'active' || head.revision !== old.revision)) {
      inForce.withdrawnAt = now;
      inForce.withdrawnBy = actor?.context;
      // `withdrawn`: the change was decided before the fire time by some clock, and written later
      const isEarly = actor && old.hold?.attempt === 1 && actor.now() < old.hold.startedAt;
      const ahead = hold?.withdrawn || isEarly;
      if (ahead && old.hold) this.#withdrawnAhead.add(rowKey({ jobId, due: old.hold.due }));
      if (old.hold && !this.#rowOf(jobId, old.hold.due)) job.mustEnd.add(old.hold.due);
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
    if (head.definition !== old?.definition) job.params.push(this.#paramsOf(head));
    if (old?.rowsUntil && (head.rowsUntil ?? '') < old.rowsUntil)
      this.#fail(
        'rowsUntil and coveredUntil never go back',
        jobId,
        undefined,
        `${old.rowsUntil} to ${head.rowsUntil}`,
      );
    const covered = head.coveredUntil === undefined ? 0 : dueAtOf(head.coveredUntil);
    const covers = actor !== undefined && head.coveredUntil !== old?.coveredUntil;
    if (covers && covered > now)
      this.#fail('nothing is covered before its time', jobId, undefined, `${covered - now} ms before`);
    // a value that a wrong clock has written is corrected
    if (old?.coveredUntil && dueAtOf(old.coveredUntil) <= now && (head.coveredUntil ?? '') < old.coveredUntil)
      this.#fail(
        'rowsUntil and coveredUntil never go back',
        jobId,
        undefined,
        `${old.coveredUntil} to ${head.coveredUntil}`,
      );
    if (old && head.note && head.note.at !== old.note?.at && head.note.status === 'SKIPPED')
      this.#skipped(job, old, head.note.due, head.note.reason);
    if (old?.hold && hold?.token !== old.hold.token && (!hold || hold.number < old.hold.number)) {
      this.#givenBack(job, jobId, old.hold, hold);
    } else if (hold) {
      this.#held(jobId, old?.hold, hold, old);
      if (covers && covered > 0 && hold.token !== old?.hold?.token)
        this.#covering.set(rowKey({ jobId, due: hold.due }), { jobId, due: hold.due });
    }
    if (covers) job.coveredUntil = Math.max(job.coveredUntil, covered);
    job.stampAt = now;
  }

  #paramsOf({ jobId, definition, inline }: Head): unknown {
    const { params } = inline ?? this.#world.store.definitions.get(`${jobId}#${definition}`) ?? {};
    return params?.n;
  }

  #looked({ jobId, hold }: Head): void {
    const { now, actor } = this.#world;
    const take = hold && this.#takes.get(hold.token);
    if (!take?.ahead || !actor || take.process !== actor || actor.now() < take.hold.startedAt) return;
    // the read may belong to another message of the same execution
    const own = this.#inHand
      .get(rowKey({ jobId, due: take.hold.due }))
      ?.filter((one) => one.process === actor);
    if (own?.length === 1) take.decidedAt = now;
  }

  /** A claim is undone: the hold before it is restored by the worker that claimed it and has not started. */
  #givenBack(job: JobRecord, jobId: string, hold: Hold, restored: Hold | undefined): void {
    const { actor } = this.#world;
    const take = this.#takes.get(hold.token);
    const before = take?.head?.hold;
    if (restored?.number !== before?.number || restored?.due !== before?.due)
      this.#fail('fencing numbers grow', jobId, hold.due, `${hold.number} is undone to ${restored?.number}`);
    this.#world.count('given back');
    if (!take || take.process !== actor || this.runs.some((run) => run.take === take))
      this.#fail('given back only by who has not started', jobId, hold.due, `by ${actor?.name}`);
    job.mustEnd.delete(hold.due);
    this.#attempts.givenBack(jobId, hold);
  }

  #holdItem(old: HoldItem | undefined, item: HoldItem): void {
    this.#held(item.jobId, old?.hold, item.hold, undefined);
  }

  #held(jobId: string, old: Hold | undefined, hold: Hold, head: Head | undefined): void {
    const { now, actor } = this.#world;
    const { coveredUntil } = this.#job(jobId);
    if (hold.cancelRequested) this.#askedToStop.add(rowKey({ jobId, due: hold.due }));
    if (hold.token === old?.token) {
      const take = this.#takes.get(hold.token);
      if (take && hold.leaseUntil !== old.leaseUntil) {
        take.liveUntil = this.#leaseEnd(hold);
        this.#neverTwo(this.runs.find((run) => run.take === take));
      }
      return;
    }
    if (old && hold.number <= old.number)
      this.#fail('fencing numbers grow', jobId, hold.due, `${old.number} is followed by ${hold.number}`);
    const ahead = actor !== undefined && hold.startedAt > actor.now();
    const over = old?.due === hold.due;
    this.#world.count(over ? 'taken over' : ahead ? 'taken ahead' : 'taken');
    if (over && old.boot !== hold.boot) this.#world.count('taken over after a restart');
    if (ahead) this.onTakenAhead?.(actor);
    // the schedule in force has planned it too
    if (head && isInForce(head, hold.revision)) this.#withdrawnAhead.delete(rowKey({ jobId, due: hold.due }));
    const row = this.#rowOf(jobId, hold.due);
    this.#attempts.taken(jobId, hold, row, over);
    this.#takes.set(hold.token, {
      hold,
      jobId,
      process: actor,
      at: now,
      head,
      row,
      coveredUntil,
      over,
      underFaults: this.#world.profile.fail > 0 || this.#world.profile.lost > 0,
      liveUntil: this.#leaseEnd(hold),
      ahead,
      decidedAt: ahead ? undefined : now,
    });
  }

  /** When the lease ends by the true clock. The holder has added the lease to the time of its own clock. */
  #leaseEnd({ leaseUntil }: Hold): number {
    const { actor, settings } = this.#world;
    return actor ? actor.trueTime(leaseUntil - settings.leaseMs) + settings.leaseMs : leaseUntil;
  }

  /** On an embedded server no message waits for the lease of a process that is gone. */
  hidden({ jobId, due }: Message, ms: number): void {
    const { boot, store, settings } = this.#world;
    // a worker hides a message that it handles for a lease, and after an error for the clock skew
    if (boot === undefined || ms === settings.leaseMs || ms <= 2 * settings.clockSkewMs) return;
    if (this.#rowOf(jobId, due)?.status === 'RETRYING') return;
    const hold = store.holds.get(rowKey({ jobId, due }))?.hold ?? store.heads.get(jobId)?.hold;
    // a message that waits for a slot of its key waits for no holder of its own
    if (hold?.due === due && hold.boot !== boot && !store.heads.get(jobId)?.limit)
      this.#fail('no message waits for a holder of another boot', jobId, due, `hidden for ${ms} ms`);
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

  /** A skip needs another execution that ran, waited for its retry or was just claimed, since the head was read. */
  #skipped(job: JobRecord, old: Head, due: DueKey, reason: string): void {
    if (!reason.startsWith('overlap')) return;
    const { hold, jobId } = old;
    const fail = (why: string) => this.#fail('skipped only for a reason', jobId, due, why);
    if (!hold || hold.due === due) {
      fail('nobody else holds the job');
      return;
    }
    const segments = this.#history.get(rowKey({ jobId, due: hold.due })) ?? [];
    const last = segments.findLastIndex((segment) => segment.at < job.stampAt);
    if (last < 0) return; // a hold without a row blocks
    const slack = hold.leaseUntil + 2 * this.#world.settings.clockSkewMs;
    const blocked = segments.slice(last).some(({ status, at, fence }) => {
      if (status === 'RUNNING' || status === 'RETRYING') return true;
      return !isTerminal(status) && fence !== hold.token && Math.max(at, job.stampAt) <= slack;
    });
    if (!blocked) fail(`because of ${this.nameOf(jobId, hold.due)}, which is ${segments.at(-1)?.status}`);
  }

  #shard(old: Shard | undefined, shard: Shard): void {
    const { now, settings } = this.#world;
    // cursors that a wrong clock has moved are corrected
    if (!old || old.dispatchedUntil > minuteOf(now + settings.lookAheadMs + settings.clockSkewMs)) return;
    if (shard.dispatchedUntil < old.dispatchedUntil || shard.settledUntil < old.settledUntil)
      this.#world.fail('cursors never go back', `shard ${shard.shard}`);
  }

  #row(old: Row | undefined, row: Row): void {
    const { now, actor, settings } = this.#world;
    const { jobId, due, status } = row;
    const key = rowKey(row);
    const segments = this.#history.get(key) ?? [];
    this.#history.set(key, segments);
    segments.push({ at: now, status, fence: row.fence });
    this.onRow?.(row);
    this.#world.count(old ? `${old.status} to ${status}` : status);
    // the same end may be written twice
    const repeated = old?.status === status && old.fence === row.fence;
    if (!repeated && !mayFollow(old?.status, status))
      this.#fail('rows change as the table says', jobId, due, `${old?.status} to ${status}`);
    if (status === 'QUEUED') {
      this.#cancelled.delete(key);
      this.#askedToStop.delete(key);
      this.#requeued.set(key, now);
    }
    if (
      old?.status === 'RETRYING' &&
      status === 'RUNNING' &&
      (actor?.now() ?? now) + EARLIEST_CLAIM_MS < (old.nextAttemptAt ?? 0)
    )
      this.#fail(
        'no attempt before its backoff is over',
        jobId,
        due,
        `${(old.nextAttemptAt ?? 0) - now} ms early`,
      );
    if ((old?.status === 'QUEUED' || old?.status === 'WAITING') && status === 'RUNNING' && row.attempt !== 1)
      this.#fail(
        'what is started by hand has fresh attempts',
        jobId,
        due,
        `starts with attempt ${row.attempt}`,
      );
    const run = this.runs.find(({ take }) => take.hold.token === row.fence);
    if (run && run.due === due) run.recorded ||= isTerminal(status) || status === 'RETRYING';
    const interrupted = status === 'RETRYING' && run !== undefined && row.attempt < run.attempt;
    const wrong = this.#attempts.wrong(old, row, this.#holderOf(row), interrupted);
    if (wrong) this.#fail('attempts count starts', jobId, due, wrong);
    if (status === 'SUCCEEDED' && run?.ended !== 'succeeded')
      this.#fail('only a success is recorded as one', jobId, due, 'no run of this holder has succeeded');
    if (status === 'FAILED' && row.error?.name === 'WorkerLost' && row.attempt < row.maxAttempts)
      this.#fail(
        'failed only when no attempt is left',
        jobId,
        due,
        `attempt ${row.attempt} of ${row.maxAttempts}`,
      );
    if (row.error && !EXPECTED_ERRORS.has(row.error.name))
      this.#fail('no unexpected error', jobId, due, `${row.error.name}: ${row.error.message}`);
    const head = this.#world.store.heads.get(jobId);
    if (!head) {
      this.#fail('no row without a job', jobId, due, status);
      return;
    }
    if (status === 'CANCELLED' && actor?.kind !== 'api') this.#cancelledByWorker(head, old, row);
    if (status === 'SKIPPED' && row.reason?.startsWith('misfire')) {
      const fires = fireAt(head.schedule, jobId, dueAtOf(due));
      const covered = fires <= this.#job(jobId).coveredUntil;
      const late = now + settings.clockSkewMs - fires > head.misfire.graceSeconds * 1000;
      const { policy } = head.misfire;
      const stoodFor = policy === 'runOnce' && this.#laterTaken(jobId, due);
      if (!covered && !(late && (policy === 'skip' || stoodFor)))
        this.#fail('skipped only for a reason', jobId, due, row.reason);
    }
  }

  /** The token of the holder of this execution. Undefined if nobody holds it. */
  #holderOf(row: Row): string | undefined {
    const { heads, holds } = this.#world.store;
    const hold = holds.get(rowKey(row))?.hold ?? heads.get(row.jobId)?.hold;
    return hold?.due === row.due ? hold.token : undefined;
  }

  #laterTaken(jobId: string, due: DueKey): boolean {
    return [...this.#takes.values()].some((take) => take.jobId === jobId && take.hold.due > due);
  }

  #cancelledByWorker(head: Head, old: Row | undefined, row: Row): void {
    const { jobId, due } = row;
    if (head.status === 'cancelled' || this.#askedToStop.has(rowKey(row))) return;
    if (head.note?.due === due && head.note.status === 'CANCELLED') return;
    const dead = !isInForce(head, row.revision);
    if (dead && (old?.status === 'WAITING' || (head.overlap === 'allow' && !old))) return;
    const begun = this.runs.some(({ take }) => take.hold.token === old?.fence);
    if (dead && old?.status === 'RUNNING' && !begun) return; // fenced too late to start
    if (dead && !old && this.#withdrawnAhead.has(rowKey(row))) return;
    const own = this.#takes.get(row.fence ?? '');
    const isOwn = own !== undefined && own.process === this.#world.actor && !own.over;
    if (dead && !old && isOwn && !this.runs.some(({ take }) => take === own)) return; // withdrawn before it started
    if (!old && row.fence === undefined) return; // a note that another process records
    this.#fail(
      'cancelled only on request',
      jobId,
      due,
      `${old?.status ?? 'no row'} to CANCELLED: ${row.reason}`,
    );
  }

  /** A result may be refused only after the lease of its holder. */
  refusedRow(process: Process, row: Row): void {
    const run = this.runs.find(({ take }) => take.hold.token === row.fence);
    if (!run || run.process !== process || run.recorded) return;
    if (run.ended && row.status === 'RUNNING') return; // a checkpoint whose task has ended
    const found = this.#rowOf(row.jobId, row.due);
    if (found?.fence === row.fence) return; // its own lost response
    if (run.take.liveUntil > this.#world.now)
      this.#fail(
        "a live holder's result is never thrown away",
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
    const inHand = { process, jobId, due, since: Math.max(process.now(), fires) };
    list.push(inHand);
    return inHand;
  }

  stalled(process: Process): void {
    this.#stalls.set(process, process.stalledUntil);
  }

  /** The use case has ended for a message. */
  handled(inHand: InHand): void {
    const list = this.#inHand.get(rowKey(inHand)) ?? [];
    list.splice(list.indexOf(inHand), 1);
    this.#notLeftHeld(inHand, list);
    const run = this.runs.find((r) => r.inHand === inHand);
    if (!run || run.recorded || run.ended !== 'succeeded' || this.#asked(run)) return;
    if (run.take.liveUntil > this.#world.now)
      this.#fail("a live holder's result is never thrown away", run.jobId, run.due, 'it was never written');
  }

  /** A claim that waits for a slot of its key is undone. If it stayed, the takeover would count an attempt that did not start. */
  #notLeftHeld({ jobId, due, process, since }: InHand, others: readonly InHand[]): void {
    const { now, store, profile } = this.#world;
    const head = store.heads.get(jobId);
    const hold = store.holds.get(rowKey({ jobId, due }))?.hold ?? head?.hold;
    const take = hold?.due === due ? this.#takes.get(hold.token) : undefined;
    if (!head?.limit || take?.process !== process || profile.fail > 0 || profile.lost > 0) return;
    // the claim of another delivery, whose undo failed before the faults ended
    if (take.underFaults || take.hold.startedAt < since) return;
    // a clock that is corrected may end the lease a little later
    if (process.clock.offBy() !== 0) return;
    if (this.runs.some((run) => run.take === take) || others.some((other) => other.process === process))
      return;
    const hasSlot = store.keySlots.all().some(({ token }) => token === hold?.token);
    if (hold && hold.leaseUntil > now && !hasSlot && !this.#rowOf(jobId, due))
      this.#fail(
        'a claim without a slot is undone',
        jobId,
        due,
        'its hold is live, and its message is returned',
      );
  }

  #asked = (run: Run): boolean => this.#askedToStop.has(rowKey(run));

  started(inHand: InHand, ctx: TaskContext<unknown>): Run {
    const { process } = inHand;
    const { now, store } = this.#world;
    const { jobId, signal, fence } = ctx;
    const due = ctx.executionId.slice(jobId.length + 1);
    const take = [...this.#takes.values()].findLast(
      (t) => t.jobId === jobId && t.hold.due === due && t.hold.number === fence && t.process === process,
    );
    if (!take) throw new Error(`${this.nameOf(jobId, due)} runs without a take`);
    const head = store.heads.get(jobId);
    const overlapAllowed = head?.overlap === 'allow';
    const of = { jobId, due, process, inHand, take, overlapAllowed, attempt: ctx.attempt };
    const run: Run = { ...of, ended: undefined, recorded: false };
    this.runs.push(run);
    this.#attempts.started(jobId, take.hold);
    const job = this.#job(jobId);
    const { revision } = take.hold;
    const rule = job.revisions.get(revision);
    const fires = rule && !isManual({ revision }) ? fireAt(rule.schedule, jobId, dueAtOf(due)) : dueAtOf(due);
    // a manual run starts at once, also if its occurrence was cancelled before its due time
    const isCorrected = process.clock.offBy() !== 0; // and may just have been
    if (process.now() < fires && !isManual({ revision }) && !isCorrected)
      this.#fail('nothing starts early', jobId, due, `${fires - process.now()} ms before its time`);
    if (now + EARLIEST_CLAIM_MS < fires && !isManual({ revision }))
      this.#fail('nothing starts early by the true clock', jobId, due, `${fires - now} ms before its time`);
    if (ctx.attempt > ctx.maxAttempts)
      this.#fail('no more attempts than allowed', jobId, due, `${ctx.attempt} of ${ctx.maxAttempts}`);
    if (signal.aborted) return run;
    if (take.liveUntil <= now) {
      if ((this.#stalls.get(process) ?? 0) < now - 10)
        this.#fail('nothing starts without a lease', jobId, due, `it ended ${now - take.liveUntil} ms ago`);
      return run;
    }
    this.#neverTwo(run);
    this.keys.started(run, this.runs, (other) => this.#isRunning(other));
    const row = this.#rowOf(jobId, due);
    if (row && !(row.status === 'RUNNING' && row.fence === take.hold.token))
      this.#fail('nothing starts whose row says otherwise', jobId, due, `its row is ${row.status}`);
    const key = rowKey({ jobId, due });
    const highest = overlapAllowed ? (this.#highestBeside.get(key) ?? 0) : job.highestFence;
    if (fence <= highest) this.#fail('fencing numbers grow', jobId, due, `${fence} after ${highest}`);
    if (overlapAllowed) this.#highestBeside.set(key, fence);
    else job.highestFence = fence;
    this.#notWithdrawn(job, run);
    this.#notOutdated(job, run, ctx.params);
    if (head && rule) this.#notMisfired(head, rule, run, fires);
    return run;
  }

  /** No two runs of a job have live leases at the same time, and a worker that has lost its lease has stopped. */
  #neverTwo(run: Run | undefined): void {
    if (!run || run.ended || run.process.dead) return;
    const { now } = this.#world;
    for (const other of this.runs) {
      if (other === run || other.ended || other.process.dead || other.jobId !== run.jobId) continue;
      if (run.overlapAllowed && other.due !== run.due) continue;
      const both = `${run.process.name} and ${other.process.name} (${this.nameOf(run.jobId, other.due)})`;
      if (run.take.liveUntil > now && other.take.liveUntil > now)
        this.#fail('never two runs at once', run.jobId, run.due, both);
      if (other.take.liveUntil <= now && this.#isRunning(other))
        this.#fail('who loses the lease stops before it ends', run.jobId, run.due, both);
    }
  }

  /** Whether a run goes on: its lease is live, or its process was not stopped and should have ended it. */
  #isRunning({ ended, process, take: { liveUntil } }: Run): boolean {
    if (ended || process.dead) return false;
    const { now, settings } = this.#world;
    const lastSure = liveUntil - 2 * settings.clockSkewMs - settings.heartbeatMs;
    return liveUntil > now || (this.#stalls.get(process) ?? 0) < lastSure;
  }

  #notWithdrawn(job: JobRecord, { jobId, due, take, overlapAllowed }: Run): void {
    const fail = (why: string) => this.#fail('what was withdrawn does not start', jobId, due, why);
    // with `overlap: allow` a cancel writes the head first and then each hold, and until then a takeover may start.
    // an early claim must not start if a change has returned before the run was decided
    const { ahead, decidedAt: at = this.#world.now } = take;
    const over = overlapAllowed || ahead ? job.cancelReturnedAt : job.cancelledAt;
    if (over !== undefined && at > over) fail('the job was cancelled before');
    const cancelled = this.#cancelled.get(rowKey({ jobId, due }));
    if (cancelled !== undefined && at > cancelled) fail('it was cancelled before');
    // nothing starts after the call has returned, whenever the run was decided
    if (job.cancelReturnedAt !== undefined) fail('a cancel of the job has returned');
    if (cancelled !== undefined) fail('a cancel of it has returned');
    const { revision } = take.hold;
    if (isManual({ revision })) return;
    const rule = job.revisions.get(revision);
    const withdrawnAt = ahead ? rule?.withdrawalReturnedAt : rule?.withdrawnAt;
    const first = (!take.row && !take.over) || take.row?.status === 'WAITING';
    const restarts = take.over && !take.row && this.#withdrawnAhead.has(rowKey({ jobId, due }));
    if (restarts && rule?.withdrawalReturnedAt !== undefined) fail('it was withdrawn before its time');
    // with `overlap: allow` a takeover without a row is a first start too. It starts if the current schedule has planned it too
    const isFirst = first || (overlapAllowed && !take.row);
    if (rule?.withdrawalReturnedAt !== undefined && isFirst && !this.#isPlanned(jobId, due))
      fail('the withdrawal of its schedule has returned');
    if (!first) return;
    if (withdrawnAt !== undefined && at > withdrawnAt)
      fail(`its schedule was withdrawn at ${clockText(withdrawnAt)}`);
    if (!job.revisions.has(revision) && !overlapAllowed) fail('its schedule was never in force');
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

  #notMisfired(head: Head, rule: Revision, { jobId, due, take, process }: Run, fires: number): void {
    if (take.row || take.over || isManual(take.hold) || !isRecurring(rule.schedule)) return;
    const fail = (why: string) => this.#fail('misfire does what it says', jobId, due, why);
    const before = take.head?.coveredUntil;
    // a value that a wrong clock has written does not count
    if (before !== undefined && fires <= dueAtOf(before) && dueAtOf(before) <= take.coveredUntil)
      fail('one run stood for it already');
    const since = Math.min(
      ...(this.#inHand.get(rowKey({ jobId, due })) ?? [])
        .filter((h) => h.process === process)
        .map((h) => h.since),
    );
    if (!Number.isFinite(since) || since - fires <= head.misfire.graceSeconds * 1000) return;
    if (head.misfire.policy === 'skip') fail(`ran ${since - fires} ms late`);
    // a later occurrence may be in time by another clock, and one that jitter still delays was not missed
    const missedBefore = since - 2 * this.#world.settings.clockSkewMs;
    let latest = latestOccurrence(rule.schedule, dueAtOf(due) - 1, missedBefore);
    while (latest !== undefined && fireAt(rule.schedule, jobId, latest) > missedBefore)
      latest = latestOccurrence(rule.schedule, dueAtOf(due) - 1, latest - 1);
    if (
      head.misfire.policy === 'runOnce' &&
      latest !== undefined &&
      (head.coveredUntil ?? '') < dueKey(fireAt(rule.schedule, jobId, latest))
    )
      fail('stands for the others that were missed, and they are not covered');
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
    for (const item of store.holds.values()) {
      // the insert took so long that the schedule was withdrawn and settled meanwhile. The execution has not started, and the
      // hold is removed by its TTL
      const started = this.hasRun(item);
      const head = store.heads.get(item.jobId);
      const dead = !isManual(item.hold) && head && !isInForce(head, item.hold.revision);
      if (dead && !started) continue;
      if (old(item.due) && open(item.jobId, item.due)) say('a hold is stuck', item.jobId, item.due);
    }
    for (const run of this.runs) {
      if (old(run.due) && open(run.jobId, run.due)) say('a run left no record', run.jobId, run.due);
    }
    for (const { jobId, due } of this.#covering.values()) {
      if (old(due) && this.#rowOf(jobId, due)?.status === 'SKIPPED')
        say('the run that stands for others never was', jobId, due);
    }
    for (const jobId of this.#accepted) if (!store.heads.get(jobId)) say('an accepted job is gone', jobId);
    for (const head of store.heads.all()) {
      const { jobId, hold, note } = head;
      if (this.keys.isLeftover(head)) continue;
      const job = this.#job(jobId);
      if (hold && old(hold.due) && open(jobId, hold.due)) say('a hold is stuck', jobId, hold.due);
      if (note && old(note.due) && !this.#rowOf(jobId, note.due))
        say('a decision has no row', jobId, note.due);
      for (const due of job.mustEnd)
        if (old(due) && open(jobId, due)) say('was held, never ended', jobId, due);
      if (head.status !== 'active') continue;
      const rule = job.revisions.get(head.revision);
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

  hasRun({ jobId, due }: { jobId: string; due: DueKey }): boolean {
    return this.runs.some((run) => run.jobId === jobId && run.due === due);
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
