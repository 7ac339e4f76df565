// The tables and indexes of src/store/dynamodb/tables.ts, and the units that each kind of item uses.
import { Capacity } from './capacity.ts';
import type { ModelOptions } from './options.ts';
import { figure } from './parameters.ts';

export class Tables {
  readonly timetable: Capacity;
  readonly jobs: Capacity;
  readonly jobsByUser: Capacity;
  readonly executions: Capacity;
  readonly executionsByUser: Capacity;
  readonly timetableReads: Capacity;
  readonly jobsReads: Capacity;
  readonly executionsReads: Capacity;
  /** The account's quota of each table, by the capacity of the table. */
  readonly quotas: ReadonlyMap<Capacity, Capacity>;

  constructor({ warm, tableQuota, burstSeconds, seed }: ModelOptions) {
    // Assumed: one partition for each 1,000 units that a table is warm for. Only an account shows the real number.
    const partitions = Math.ceil(warm / figure('a partition, writes'));
    const open = (name: string, limit: number) =>
      new Capacity({ name, partitions, limit, burstSeconds, seed });
    const writes = (name: string) => open(name, figure('a partition, writes'));
    const reads = (name: string) => open(`${name}, reads`, figure('a partition, reads'));
    this.timetable = writes('timetable');
    this.jobs = writes('jobs');
    this.jobsByUser = writes('jobs.byUser');
    this.executions = writes('executions');
    this.executionsByUser = writes('executions.byUser');
    this.timetableReads = reads('timetable');
    this.jobsReads = reads('jobs');
    this.executionsReads = reads('executions');
    const quota = ({ name }: Capacity) =>
      new Capacity({
        name: `quota of ${name}`,
        partitions: 1,
        limit: tableQuota,
        burstSeconds: 0,
        seed,
      });
    const limited = [this.timetable, this.jobs, this.executions, this.executionsByUser];
    this.quotas = new Map(limited.map((capacity) => [capacity, quota(capacity)]));
  }

  get writes(): Capacity[] {
    return [this.timetable, this.jobs, this.jobsByUser, this.executions, this.executionsByUser];
  }

  get reads(): Capacity[] {
    return [this.timetableReads, this.jobsReads, this.executionsReads];
  }

  /** Uses one unit of a table: of the key's partition and of the quota. */
  write(table: Capacity, key: number, tick: number, isRetry: boolean): boolean {
    if (!table.take(key, 1, tick, isRetry)) return false;
    const quota = this.quotas.get(table);
    if (!quota || quota.take(0, 1, tick, isRetry)) return true;
    table.refund(key, 1);
    return false;
  }

  /** Writes the row and its index entry. A throttled index throttles the row too. */
  insertRow(job: number, owner: number, tick: number, isRetry: boolean): boolean {
    if (!this.write(this.executionsByUser, owner, tick, isRetry)) return false;
    if (this.write(this.executions, job, tick, isRetry)) return true;
    this.executionsByUser.refund(owner, 1);
    return false;
  }
}
