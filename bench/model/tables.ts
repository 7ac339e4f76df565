// The tables and indexes of src/store/dynamodb/tables.ts in the model: the units that each kind of item takes of each partition.
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
  /** What the account allows a table, whatever its partitions can: by the table's capacity. */
  readonly quotas: ReadonlyMap<Capacity, Capacity>;

  constructor({ warm, tableQuota, burstSeconds, seed }: ModelOptions) {
    // one partition for each thousand units that it is warm for: how many there are only an account can tell
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

  /** One unit of a table: of its partition and of its quota. */
  write(table: Capacity, key: number, tick: number, again: boolean): boolean {
    if (!table.take(key, 1, tick, again)) return false;
    const quota = this.quotas.get(table);
    if (!quota || quota.take(0, 1, tick, again)) return true;
    table.undoClaim(key, 1);
    return false;
  }

  /** The row and its entry in the index: an index that throttles refuses the row too. */
  insertRow(job: number, owner: number, tick: number, again: boolean): boolean {
    if (!this.write(this.executionsByUser, owner, tick, again)) return false;
    if (this.write(this.executions, job, tick, again)) return true;
    this.executionsByUser.undoClaim(owner, 1);
    return false;
  }
}
