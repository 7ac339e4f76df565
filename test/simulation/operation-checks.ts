// The checks of background operations. An accepted operation ends. A completed one has left nothing out. An ended one does
// not change. A stopped one adds nothing after its stop has returned.

import { type DueKey, dueAtOf, dueKey, executionId } from '../../src/domain/executions/ids.ts';
import { isTerminal, type Row } from '../../src/domain/executions/row.ts';
import {
  type BackfillOperation,
  isOpen,
  type Operation,
  refusalsOf,
} from '../../src/domain/jobs/background-operation.ts';
import { occurrencesAfter } from '../../src/domain/schedule/occurrences.ts';
import { type MemoryStore, rowKey } from '../../src/store/memory/memory-store.ts';
import { BulkChecks } from './bulk-checks.ts';
import type { SimulatedWorld } from './simulated-world.ts';

export class OperationChecks {
  readonly #world: SimulatedWorld;
  readonly bulk: BulkChecks;
  /** The due keys that each operation is to run. */
  readonly #planned = new Map<string, DueKey[]>();
  readonly #accepted = new Set<string>();
  /** Operations whose stop has returned. */
  readonly #stopped = new Set<string>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.bulk = new BulkChecks(world);
  }

  watch({ operations, heads, rows }: MemoryStore): void {
    const setHead = heads.set.bind(heads);
    heads.set = (jobId, head) => {
      this.bulk.head(heads.get(jobId), head, this.#stopped);
      return setHead(jobId, head);
    };
    const setRow = rows.set.bind(rows);
    rows.set = (key, row) => {
      const { jobId, due, reason } = row;
      if (reason === 'backfill' && !rows.get(key)) this.#added(jobId, due);
      return setRow(key, row);
    };
    const set = operations.set.bind(operations);
    operations.set = (id, operation) => {
      this.#written(operations.get(id), operation);
      return set(id, operation);
    };
  }

  /** The request was answered, so the operation must be carried out. */
  accepted(id: string): void {
    this.#accepted.add(id);
    if (!this.#world.store.operations.has(id)) this.#fail(id, 'accepted, and not there');
  }

  /** The stop was answered, so the operation must not add anything. */
  stopped(id: string): void {
    this.#stopped.add(id);
  }

  /** A backfill has queued an occurrence. */
  #added(jobId: string, due: DueKey): void {
    this.#world.count('backfilled');
    const covers = ({ params }: BackfillOperation) =>
      params.jobId === jobId && params.from <= due && due < params.to;
    const covering = this.#backfills().filter(covers);
    if (covering.every(({ id, status }) => status === 'stopped' && this.#stopped.has(id)))
      this.#fail(
        covering.map(({ id }) => id).join(),
        `stopped, and then adds ${this.#world.checks.nameOf(jobId, due)}`,
      );
  }

  #backfills(): BackfillOperation[] {
    const all = [...this.#world.store.operations.values()];
    return all.filter((one) => one.kind === 'backfill');
  }

  #written(old: Operation | undefined, operation: Operation): void {
    const { id, done, total, refused, next = '' } = operation;
    if (!old) this.#begun(operation);
    const isLetGo = old?.status === operation.status && operation.leaseUntil === 0;
    if (old && !isOpen(old) && !isLetGo) this.#fail(id, `${old.status}, and then ${operation.status}`);
    if (old && !isOpen(old)) {
      this.#world.count('operation let go');
      return;
    }
    const isBack = operation.kind === 'backfill' && next < (old?.next ?? '');
    if (old && (done < old.done || isBack)) this.#fail(id, 'goes back');
    if (done + refusalsOf(operation) > total)
      this.#fail(id, `${done} done and ${refusalsOf(operation)} refused of ${total}`);
    if (old && old.leaseUntil > 0 && old.status === 'running' && operation.leaseUntil > 0)
      this.#world.count(this.#isOver(old) ? 'operation taken over' : 'operation step');
    if (refused.length > (old?.refused.length ?? 0)) this.#world.count('operation refusal');
    if (isOpen(operation)) return;
    this.#world.count(`operation ${operation.status}`);
    if (operation.status !== 'done') return;
    if (operation.kind === 'bulk') this.bulk.done(operation);
    else if (operation.kind === 'backfill') this.#completed(operation);
  }

  /** A backfill is done, so each planned occurrence has a row or a refusal. */
  #completed(operation: BackfillOperation): void {
    const { id, refused } = operation;
    const excused = new Set(refused.map((refusal) => refusal.id));
    const left = (this.#planned.get(id) ?? []).filter(
      (due) => !this.#rowOf(operation, due) && !excused.has(executionId(operation.params.jobId, due)),
    );
    if (left.length > 0)
      this.#fail(id, `done, and ${left.map((due) => this.#named(operation, due))} has no row`);
  }

  #begun(operation: Operation): void {
    if (operation.kind === 'bulk') this.bulk.begun(operation);
    else if (operation.kind === 'backfill') this.#planned.set(operation.id, this.#missing(operation));
  }

  #rowOf({ params: { jobId } }: BackfillOperation, due: DueKey): Row | undefined {
    return this.#world.store.rows.get(rowKey({ jobId, due }));
  }

  #named({ params: { jobId } }: BackfillOperation, due: DueKey): string {
    return this.#world.checks.nameOf(jobId, due);
  }

  #isOver({ leaseUntil }: Operation): boolean {
    return this.#world.now > leaseUntil;
  }

  /** The occurrences of its range without a row. */
  #missing({ params: { jobId, from, to } }: BackfillOperation): DueKey[] {
    const { heads, rows } = this.#world.store;
    const head = heads.get(jobId);
    const missing: DueKey[] = [];
    if (!head) return missing;
    for (const due of occurrencesAfter(head.schedule, dueAtOf(from) - 1)) {
      const key = dueKey(due);
      if (key >= to) break;
      if (!rows.get(rowKey({ jobId, due: key }))) missing.push(key);
    }
    return missing;
  }

  /** What has not ended although nothing blocks it. */
  unfinished(): string[] {
    const { store } = this.#world;
    const open = [...this.#accepted].filter((id) => isOpen(store.operations.get(id) as Operation));
    const listed = [...store.openOperations.keys()].filter((id) => {
      const operation = store.operations.get(id);
      return operation && !isOpen(operation);
    });
    return [
      ...open.map((id) => `an operation never ends: ${id}`),
      ...listed.map((id) => `an operation that has ended stays listed: ${id}`),
      ...this.#withoutEnd().map((due) => `an occurrence that an operation has run never ended: ${due}`),
    ];
  }

  #withoutEnd(): string[] {
    const done = this.#backfills().filter(({ status }) => status === 'done');
    return done.flatMap((operation) =>
      (this.#planned.get(operation.id) ?? [])
        .filter((due) => this.#rowOf(operation, due) && !isTerminal(this.#rowOf(operation, due)?.status))
        .map((due) => this.#named(operation, due)),
    );
  }

  #fail(id: string, detail: string): void {
    this.#world.fail('operations do what they say', `${id}: ${detail}`);
  }
}
