// People and their client programs. Every request is a process of its own, and may be slow, cut off or doubled.
import { PunctualError } from '../../src/domain/errors.ts';
import { type DueKey, dueKey, executionId } from '../../src/domain/executions/ids.ts';
import type { Row, RowStatus } from '../../src/domain/executions/row.ts';
import { isOpen } from '../../src/domain/jobs/background-operation.ts';
import type { BulkAction } from '../../src/domain/jobs/bulk-change.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import type { JobName } from '../../src/domain/jobs/job-name.ts';
import type { JobSpec } from '../../src/domain/jobs/job-spec.ts';
import { asUser, type Principal } from '../../src/domain/principal.ts';
import { nextOccurrence } from '../../src/domain/schedule/occurrences.ts';
import { backfill } from '../../src/jobs/begin-backfill.ts';
import { beginBulk } from '../../src/jobs/begin-bulk.ts';
import { cancelExecution } from '../../src/jobs/cancel-execution.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { editJob } from '../../src/jobs/edit-job.ts';
import { retryExecution, runNow } from '../../src/jobs/manual-runs.ts';
import { cancelNamedJob } from '../../src/jobs/named/cancel-named-job.ts';
import { putNamedJob } from '../../src/jobs/named/put-named-job.ts';
import { stopOperation } from '../../src/jobs/operations/operation-requests.ts';
import { pauseJob, resumeJob } from '../../src/jobs/pause-job.ts';
import type { Context } from '../../src/scheduling/context.ts';
import type { Seeded } from '../support/seeded.ts';
import { BULK_NOTE } from './bulk-checks.ts';
import { GROUPS, JOB_NAMES, KEY, type Operation, randomSchedule, type Scenario } from './scenario.ts';
import type { SimulatedWorld } from './simulated-world.ts';

export const USER = 'u1';
const OPERATOR: Principal = { userId: 'operator', operator: true };
/** One request in this many comes from an operator. */
const OPERATORS_SHARE = 5;
const RETRYABLE: readonly RowStatus[] = ['FAILED', 'CANCELLED', 'SKIPPED'];

const CHANGES: ReadonlySet<Operation> = new Set(['edit', 'editParams', 'pause', 'resume', 'cancelJob']);

interface Request {
  readonly name: string;
  readonly call: (context: Context, who: Principal) => Promise<unknown>;
  /** How often a client that gets no answer sends the request in all. */
  readonly tries?: number;
  /** A name belongs to the user who asks. */
  readonly byOwner?: true;
}

interface Bulk {
  readonly action: BulkAction;
  /** The value of the tag. Undefined for all jobs. */
  readonly group: string | undefined;
  readonly forMs?: number | undefined;
  readonly note: string;
}

export class People {
  readonly #world: SimulatedWorld;
  readonly #scenario: Scenario;
  readonly #random: Seeded;
  #requests = 0;

  constructor(world: SimulatedWorld, scenario: Scenario, random: Seeded) {
    this.#world = world;
    this.#scenario = scenario;
    this.#random = random;
  }

  begin(): void {
    const { jobs, operations } = this.#scenario;
    for (const { at, spec, key, doubled } of jobs) {
      const request = this.#create(spec, key);
      this.#world.at(at, () => this.#ask({ ...request, tries: key === undefined ? 1 : 3 }));
      if (doubled) this.#world.at(at + this.#random.int(0, 40), () => this.#ask(request));
    }
    for (const { at, operation } of operations) this.#world.at(at, () => this.#operate(operation));
    if (this.#scenario.slowStarts)
      this.#world.checks.onOpened = (_, { jobId, due }) => this.#changeSoon(jobId, due);
    if (this.#scenario.impatient) this.#world.checks.onRow = (row) => this.#retrySoon(row);
  }

  /** A program that retries an execution as soon as it has failed or was skipped or cancelled. */
  #retrySoon({ jobId, due, status }: Row): void {
    const world = this.#world;
    if (world.isCalm || !RETRYABLE.includes(status) || !this.#random.chance(0.5)) return;
    world.at(world.now + this.#random.int(0, 100), () => this.#ask(this.#retry(jobId, due)));
  }

  /** A person changes a job whose claim is on its way, or cancels the execution. */
  #changeSoon(jobId: string, due: DueKey): void {
    const world = this.#world;
    const random = this.#random;
    if (world.isCalm || !random.chance(0.2)) return;
    const operation = random.pick([
      'pause',
      'editSame',
      'editParams',
      'cancelExecution',
      'cancelExecution',
    ] as const);
    world.at(world.now + random.int(0, 800), () => {
      const head = world.store.heads.get(jobId);
      const isCancel = operation === 'cancelExecution';
      const request = isCancel ? this.#cancel(jobId, due) : head && this.#request(operation, head);
      if (request) this.#ask(request);
    });
  }

  #ask(request: Request): void {
    const world = this.#world;
    if (world.down) return;
    const { name, call, tries = 1, byOwner } = request;
    const process = world.process(`A${++this.#requests}`, 'api');
    const who = this.#requests % OPERATORS_SHARE === 0 && !byOwner ? OPERATOR : asUser(USER);
    world.checks.changes.asks(process, who.userId);
    world.trace?.(process, `${name} …`);
    if (this.#scenario.slowWriters && !world.isCalm && this.#random.chance(0.5))
      world.at(world.now + this.#random.int(0, 60), () =>
        world.stall(process, this.#random.int(5_000, 120_000)),
      );
    call(process.context, who).then(
      () => {
        world.trace?.(process, `${name} has returned`);
        world.count(`${name.split(' ')[0]} returned`);
        world.processes.delete(process);
      },
      (error: unknown) => {
        world.expected(process, name, error);
        world.processes.delete(process);
        if (tries > 1 && !(error instanceof PunctualError)) this.#ask({ ...request, tries: tries - 1 });
      },
    );
  }

  #operate(operation: Operation): void {
    const world = this.#world;
    if (operation === 'putNamed' || operation === 'cancelNamed') {
      this.#named(operation);
      return;
    }
    const heads = world.store.heads.all().filter((head) => !world.checks.keys.isLeftover(head));
    const head = heads.length === 0 ? undefined : this.#random.pick(heads);
    const request = head && this.#request(operation, head);
    if (request) {
      const at = this.#lastMoment(head);
      world.at(at, () => this.#ask(request));
      // two people change a job at the same moment
      if (CHANGES.has(operation) && this.#random.chance(0.2)) world.at(at, () => this.#ask(request));
      return;
    }
    // no job fits the operation yet
    const later = world.now + this.#random.int(2000, 15_000);
    if (later < this.#scenario.calmAt) world.at(later, () => this.#operate(operation));
  }

  /** Now, or just before the job is due, when a worker may have claimed it early. If starts are slow, it may be just after. */
  #lastMoment({ schedule }: Head): number {
    const { now } = this.#world;
    const { lastMoments, slowStarts } = this.#scenario;
    if (!this.#random.chance(lastMoments || slowStarts ? 0.9 : 0.4)) return now;
    const early = slowStarts ? this.#random.int(-4000, 300) : this.#random.int(0, 800);
    const at = (nextOccurrence(schedule, now) ?? 0) - early;
    return at > now && at < this.#scenario.calmAt ? at : now;
  }

  #request(operation: Exclude<Operation, 'putNamed' | 'cancelNamed'>, head: Head): Request | undefined {
    const world = this.#world;
    const random = this.#random;
    const { checks } = world;
    const { jobId } = head;
    const job = checks.nameOf(jobId);
    const resume: Request = {
      name: `resume ${job}`,
      call: (context, who) => resumeJob(context, who, jobId),
      tries: 2,
    };
    switch (operation) {
      case 'create': {
        const spec = { ...random.pick(this.#scenario.jobs).spec, schedule: this.#schedule(head) };
        const request = this.#create(spec, random.id(6));
        if (random.chance(0.5)) this.#ask(request);
        return request;
      }
      case 'edit':
      case 'editSame': {
        const schedule = operation === 'edit' ? this.#schedule(head) : head.schedule;
        return {
          name: `${operation} ${job}`,
          call: async (context, who) => {
            const calledAt = world.now;
            await editJob(context, who, jobId, { schedule });
            checks.withdrawn(jobId, context, calledAt);
            checks.changes.edited(jobId, context);
          },
        };
      }
      case 'editParams': {
        return {
          name: `editParams ${job}`,
          call: async (context, who) => {
            // unique, so that the params of a run tell which edit it has seen
            const params = { n: random.bits() };
            await editJob(context, who, jobId, { params });
            checks.editedParams(jobId, params.n);
            checks.changes.edited(jobId, context);
          },
        };
      }
      case 'editLimit': {
        const limit = random.chance(0.2) ? null : { key: KEY, concurrent: random.pick([1, 2, 2, 3]) };
        return {
          name: `editLimit ${job}`,
          call: async (context, who) => {
            await editJob(context, who, jobId, { limit });
            checks.changes.edited(jobId, context);
          },
        };
      }
      case 'pause': {
        // a pause with an end plans the occurrences after it at once
        const forMs = random.chance(0.3) ? random.int(5_000, 60_000) : undefined;
        if (random.chance(0.6)) world.at(world.now + random.int(0, 30_000), () => this.#ask(resume));
        return {
          name: `pause ${job}`,
          call: async (context, who) => {
            const calledAt = world.now;
            const until = forMs === undefined ? undefined : context.clock.now() + forMs;
            await pauseJob(context, who, jobId, { note: `pause of ${job}`, until });
            checks.withdrawn(jobId, context, calledAt);
          },
        };
      }
      case 'resume':
        return resume;
      case 'cancelJob':
        return {
          name: `cancelJob ${job}`,
          call: async (context, who) => {
            await cancelJob(context, who, jobId);
            checks.cancelledJob(jobId);
          },
        };
      case 'runNow':
        return {
          name: `runNow ${job}`,
          call: async (context) => {
            const { id } = await runNow(context, asUser(USER), jobId);
            checks.startedByHand(jobId, id.slice(jobId.length + 1));
          },
        };
      case 'retry': {
        const due = this.#rowKey(jobId, RETRYABLE);
        return due === undefined ? undefined : this.#retry(jobId, due);
      }
      case 'cancelExecution':
        return this.#cancel(jobId, this.#someExecution(head));
      case 'bulk':
        return this.#bulk();
      case 'backfill': {
        const to = world.now + random.int(-5000, 5000);
        const range = { from: to - random.int(10_000, this.#scenario.past ? 400_000 : 90_000), to };
        return {
          name: `backfill ${job}`,
          call: async (context, who) => {
            this.#maybeKilled(context);
            const { operation } = await backfill(context, who, jobId, range);
            checks.operations.accepted(operation);
            if (random.chance(0.2)) this.#stopLater(operation, who);
          },
        };
      }
    }
  }

  /** Some people put a name at once, with the same description or with different ones. */
  #named(operation: 'putNamed' | 'cancelNamed'): void {
    const random = this.#random;
    const name = { namespace: 'n', name: random.pick(JOB_NAMES) };
    this.#world.checks.names.asked(name);
    const count = random.pick([1, 1, 2, 3]);
    const same = this.#put(name);
    for (let i = 0; i < count; i++) {
      const put = random.chance(0.5) ? same : this.#put(name);
      this.#world.at(this.#world.now + random.int(0, 200), () =>
        this.#ask(operation === 'putNamed' || i > 0 ? put : this.#cancelNamed(name)),
      );
    }
  }

  #cancelNamed(name: JobName): Request {
    const call: Request['call'] = (context, who) => cancelNamedJob(context, who, name);
    return { name: `cancelNamed ${name.name}`, call, tries: 2, byOwner: true };
  }

  #put(name: JobName, schedule = this.#namedSchedule()): Request {
    const world = this.#world;
    const random = this.#random;
    const { checks } = world;
    const params = { n: random.bits() };
    // an edit from `skip` to `queue` during a run leaves the waiting execution to settle (docs/protocol.md#limits-of-the-protocol)
    const overlap = random.pick(['queue', 'queue', 'allow', 'allow'] as const);
    const { spec: like } = random.pick(this.#scenario.jobs);
    const wanted = { spec: { ...like, schedule, params, overlap }, paused: random.chance(0.15) };
    return {
      name: `putNamed ${name.name}`,
      tries: 3,
      byOwner: true,
      call: async (context, who) => {
        this.#maybeKilled(context);
        const calledAt = world.now;
        const { action, job } = await putNamedJob(context, who, name, wanted);
        world.count(`named ${action}`);
        checks.accepted(job.id);
        checks.withdrawn(job.id, context, calledAt);
        checks.editedParams(job.id, params.n);
      },
    };
  }

  #bulk(): Request {
    const random = this.#random;
    const world = this.#world;
    const action = random.pick(['pause', 'pause', 'resume', 'resume', 'cancel'] as const);
    const group = random.chance(0.7) ? random.pick(GROUPS) : undefined;
    const forMs = action === 'pause' && random.chance(0.3) ? random.int(5_000, 60_000) : undefined;
    const note = `${BULK_NOTE}${random.id(8)}`;
    const also = (after: number, one: Omit<Bulk, 'note'>) => {
      const request = this.#bulkRequest({ ...one, note: `${BULK_NOTE}${random.id(8)}` });
      world.at(world.now + after, () => this.#ask(request));
    };
    if (action === 'pause' && random.chance(0.6)) also(random.int(0, 30_000), { action: 'resume', group });
    // two people change the same jobs at the same moment
    if (random.chance(0.3)) also(random.int(0, 30), { action: 'pause', group });
    return this.#bulkRequest({ action, group, forMs, note });
  }

  #bulkRequest({ action, group, forMs, note }: Bulk): Request {
    const { checks } = this.#world;
    const random = this.#random;
    return {
      name: `bulk ${action}`,
      call: async (context, who) => {
        this.#maybeKilled(context);
        this.#maybeStalled(context);
        const until = forMs === undefined ? undefined : context.clock.now() + forMs;
        const filter = { owner: USER, ...(group !== undefined && { tag: { key: 'group', value: group } }) };
        const { operation } = await beginBulk(context, who, { action, filter, note, until });
        checks.operations.accepted(operation);
        if (random.chance(0.3)) this.#stopLater(operation, who);
      },
    };
  }

  #namedSchedule(): JobSpec['schedule'] {
    const random = this.#random;
    const every = `PT${random.pick([15, 30, 60])}S`;
    const at = new Date(Math.ceil((this.#world.now + random.int(5000, 60_000)) / 5000) * 5000).toISOString();
    return random.chance(0.2)
      ? { at }
      : { every, endAt: new Date(this.#scenario.calmAt + 400_000).toISOString() };
  }

  /** After the faults each name is put once more, so that what a crash has left is repaired. */
  putNamesAgain(): void {
    const world = this.#world;
    if (world.down) {
      world.at(world.now + 1000, () => this.putNamesAgain());
      return;
    }
    for (const name of world.checks.names.used) {
      const { spec: like } = this.#random.pick(this.#scenario.jobs);
      const overlap = like.overlap === 'allow' ? ('allow' as const) : ('queue' as const);
      const wanted = { spec: { ...like, overlap, schedule: { every: 'PT1H' } }, paused: false };
      const call: Request['call'] = async (context, who) => {
        const { job } = await putNamedJob(context, who, name, wanted);
        world.checks.names.settled(name, job.id);
      };
      this.#ask({ name: `putNamed ${name.name} again`, call, byOwner: true });
    }
  }

  /** Cuts off the request while it does the first part of an operation. */
  #maybeKilled(context: Context): void {
    const world = this.#world;
    const process = [...world.processes].find((one) => one.context === context);
    if (process && !world.isCalm && this.#random.chance(0.4))
      world.at(world.now + this.#random.int(0, 300), () => world.crash(process));
  }

  /** Stops the process of the request for longer than a lease, and then a person stops the operation that it has begun. */
  #maybeStalled(context: Context): void {
    const world = this.#world;
    const process = [...world.processes].find((one) => one.context === context);
    if (!process || world.isCalm || !this.#random.chance(0.2)) return;
    const begun = world.now;
    world.at(world.now + this.#random.int(0, 60), () =>
      world.stall(process, this.#random.int(15_000, 40_000)),
    );
    world.at(world.now + this.#random.int(100, 1000), () => {
      const open = [...world.store.operations.values()].find((one) => isOpen(one) && one.createdAt >= begun);
      if (open) this.#stopLater(open.id, OPERATOR);
    });
  }

  #stopLater(operation: string, who: Principal): void {
    const world = this.#world;
    const call = async (context: Context) => {
      await stopOperation(context, who, operation);
      world.checks.operations.stopped(operation);
    };
    world.at(world.now + this.#random.int(0, 10_000), () => this.#ask({ name: 'stopOperation', call }));
  }

  #create(spec: JobSpec, key: string | undefined): Request {
    const request = { userId: USER, spec, ...(key !== undefined && { idempotencyKey: key }) };
    return {
      name: 'create',
      call: async (context) => this.#world.checks.accepted((await createJob(context, request)).job.id),
    };
  }

  #retry(jobId: string, due: DueKey): Request {
    const id = executionId(jobId, due);
    const name = `retry ${this.#world.checks.nameOf(jobId, due)}`;
    return { name, call: (context) => retryExecution(context, asUser(USER), id) };
  }

  #cancel(jobId: string, due: DueKey | undefined): Request | undefined {
    if (due === undefined) return undefined;
    const { checks, now } = this.#world;
    return {
      name: `cancel ${checks.nameOf(jobId, due)}`,
      call: async (context) => {
        await cancelExecution(context, asUser(USER), executionId(jobId, due));
        checks.cancelledExecution(jobId, due, now);
      },
    };
  }

  #schedule(head: Head): JobSpec['schedule'] {
    const endAt = this.#scenario.calmAt + 20_000;
    return randomSchedule(this.#random, {
      once: 'at' in head.schedule,
      now: this.#world.now,
      endAt,
      searching: this.#scenario.searching,
    });
  }

  #rowKey(jobId: string, statuses: readonly RowStatus[]): DueKey | undefined {
    const rows = this.#world.store.rows
      .all()
      .filter((row) => row.jobId === jobId && statuses.includes(row.status));
    return rows.length === 0 ? undefined : this.#random.pick(rows).due;
  }

  /** An execution that runs, waits, is between two attempts or is about to be due. */
  #someExecution({ jobId, lock, schedule }: Head): DueKey | undefined {
    const found: DueKey[] = [];
    const soon = nextOccurrence(schedule, this.#world.now);
    if (this.#scenario.slowStarts && soon !== undefined && this.#random.chance(0.7)) return dueKey(soon);
    if (lock) found.push(lock.due);
    const open = this.#rowKey(jobId, ['QUEUED', 'RUNNING', 'RETRYING']);
    if (open !== undefined) found.push(open, open);
    const next = nextOccurrence(schedule, this.#world.now - this.#random.int(0, 20_000));
    if (next !== undefined) found.push(dueKey(next));
    return found.length === 0 ? undefined : this.#random.pick(found);
  }
}
