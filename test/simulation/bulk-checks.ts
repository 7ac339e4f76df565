// The checks of bulk operations. A completed one has changed each selected job that existed at the request, unless it was
// refused or changed by others. It changes no later job and no job outside its filter, and none after it has ended.
import type { BulkOperation } from '../../src/domain/jobs/background-operation.ts';
import { isSelected } from '../../src/domain/jobs/bulk-change.ts';
import type { Change } from '../../src/domain/jobs/change.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { matchesFilter } from '../../src/domain/jobs/job-filter.ts';
import { SearchBudget } from '../../src/domain/schedule/search-budget.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** The note of every bulk request begins with this, and is unique. */
export const BULK_NOTE = 'bulk ';

const STATUS_CHANGES = ['paused', 'resumed', 'cancelled'];

interface Treated {
  readonly at: number;
  readonly note: string | undefined;
}

export class BulkChecks {
  readonly #world: SimulatedWorld;
  /** The jobs that each operation is to change. */
  readonly #selected = new Map<string, readonly Head[]>();
  readonly #insertedAt = new Map<string, number>();
  /** The changes of each job's status that took effect. */
  readonly #changes = new Map<string, Treated[]>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  begun({ id, params }: BulkOperation): void {
    const { store, settings } = this.#world;
    // the request has counted the jobs before the operation is written
    const before = params.requestedAt - 2 * settings.clockSkewMs;
    const isIts = (head: Head) =>
      head.userId === params.owner &&
      (this.#insertedAt.get(head.jobId) ?? 0) < before &&
      isSelected(head, params, params.requestedAt, new SearchBudget());
    this.#selected.set(id, store.heads.all().filter(isIts));
  }

  /** The record of the change that wrote this head. Undefined if no person changed it. */
  recordOf({ jobId, version, updatedAt }: Head): Change | undefined {
    const records = this.#world.store.changes.get(jobId)?.values() ?? [];
    return [...records].find((record) => record.version === version && record.at === updatedAt);
  }

  /** A head is written. `stopped` has the operations whose stop has returned. */
  head(old: Head | undefined, head: Head, stopped: ReadonlySet<string>): void {
    if (!old) this.#insertedAt.set(head.jobId, this.#world.now);
    if (!old || old.version === head.version) return;
    const record = this.recordOf(head);
    if (!record || !STATUS_CHANGES.includes(record.what)) return;
    const treated = { at: this.#world.now, note: record.note };
    this.#changes.set(head.jobId, [...(this.#changes.get(head.jobId) ?? []), treated]);
    const operation = this.#operationOf(record);
    if (!operation) return;
    this.#world.count(`bulk ${operation.params.action}`);
    const fail = (why: string) => this.#fail(operation, old, why);
    if (stopped.has(operation.id)) fail('it was stopped before');
    if (operation.status === 'done' || operation.status === 'failed')
      fail(`it was ${operation.status} before`);
    if (old.createdAt > operation.params.requestedAt) fail('the job was created after the request');
    if (operation.params.action === 'pause' && old.status === 'paused')
      fail('the job was paused without an end before');
    const { status: _, ...filter } = operation.params.filter;
    if (!matchesFilter(old, filter, this.#world.now, new SearchBudget())) fail('the job does not match');
  }

  #operationOf({ note }: Change): BulkOperation | undefined {
    if (!note?.startsWith(BULK_NOTE)) return undefined;
    const all = [...this.#world.store.operations.values()];
    return all.find((one): one is BulkOperation => one.kind === 'bulk' && one.params.note === note);
  }

  done(operation: BulkOperation): void {
    const { params, refused } = operation;
    const { checks, now, store, clocks, settings } = this.#world;
    const excused = new Set(refused.map(({ id }) => id));
    for (const { jobId } of this.#selected.get(operation.id) ?? []) {
      const changes = this.#changes.get(jobId) ?? [];
      const own = changes.find(({ note }) => note === params.note);
      // the caller reads that the operation is done, as the caller of a single change reads its response
      if (own && params.action === 'pause') checks.withdrawn(jobId, undefined, own.at);
      if (own && params.action === 'cancel') checks.cancelledJob(jobId);
      const head = store.heads.get(jobId);
      const requestedAt = params.requestedAt - 2 * settings.clockSkewMs;
      const isByOthers = clocks.areWrong || changes.some(({ at }) => at >= requestedAt);
      const isLeftOut =
        head &&
        !own &&
        !excused.has(jobId) &&
        !isByOthers &&
        isSelected(head, params, now, new SearchBudget());
      if (isLeftOut) this.#fail(operation, head, 'it is done and has left the job out');
    }
  }

  #fail({ id, params }: BulkOperation, { jobId }: Head, why: string): void {
    const what = `${id}: ${params.action} of ${this.#world.checks.nameOf(jobId)}: ${why}`;
    this.#world.fail('operations do what they say', what);
  }
}
