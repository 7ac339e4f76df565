// The promises of an embedded server, checked over REST and against what the tasks have written to their file.
import type { Row, RowStatus } from '../../src/domain/executions/row.ts';
import {
  type Accepted,
  brokenPromises,
  expectedDues,
  type Observed,
  unfinished,
} from '../support/faults/check.ts';
import { type Run, readRuns } from '../support/faults/probe.ts';
import type { Acknowledged, Clients } from './clients.ts';
import type { Server } from './server.ts';

const AT_ONCE = 16;

export interface Seen extends Observed {
  readonly lost: readonly string[];
}

/** All that the API and the tasks tell about the acknowledged jobs. */
export async function look(server: Server, clients: Clients): Promise<Seen> {
  const until = Date.now();
  const jobs: Accepted[] = [];
  const rows = new Map<string, Row[]>();
  const lost: string[] = [];
  const left = [...new Map(clients.jobs.map((job) => [job.id, job])).values()];
  const reader = async () => {
    for (let job = left.pop(); job; job = left.pop()) {
      const shown = await clients.call('GET', `/jobs/${job.id}`);
      if (shown.status !== 200) {
        lost.push(`${job.id} was acknowledged with ${job.status}, and is answered with ${shown.status}`);
        continue;
      }
      const { schedule, createdAt } = shown.body;
      if (job.at && schedule.at !== job.at)
        lost.push(`${job.id} was acknowledged for ${job.at}, and is planned for ${schedule.at}`);
      const overlap = job.body.overlap ?? 'skip';
      jobs.push({ jobId: job.id, schedule, createdAt: Date.parse(createdAt), overlap });
      rows.set(job.id, await rowsOf(clients, job.id));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, reader));
  return { jobs, until, rows, runs: readRuns(server.evidence), stopped: server.stopped, lost };
}

async function rowsOf(clients: Clients, jobId: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const { body } = await clients.call(
      'GET',
      `/jobs/${jobId}/executions?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    );
    for (const { id, status, attempt, maxAttempts } of body.items)
      rows.push({
        ...{ jobId, due: id.slice(jobId.length + 1), userId: 'chaos', revision: '' },
        status: String(status).toUpperCase() as RowStatus,
        ...{ number: 0, attempt, maxAttempts },
      });
    cursor = body.nextCursor;
  }
  return rows;
}

/** What has not ended yet, lost jobs included. */
export const openOf = (seen: Seen): string[] => [...seen.lost, ...unfinished(seen)];

/** Every broken promise, in words. */
export function brokenOf(seen: Seen, clients: Clients): string[] {
  const acknowledged = new Map(clients.jobs.map((job) => [job.id, job]));
  const runsOf = Map.groupBy(seen.runs, (run) => run.executionId);
  const created = new Set(acknowledged.keys());
  return [
    ...seen.lost,
    // an unacknowledged create may have been carried out, so its runs are not of nobody
    ...brokenPromises({ ...seen, runs: seen.runs.filter(({ jobId }) => created.has(jobId)) }),
    ...[...runsOf.values()].flatMap((runs) => doubled(seen, runs)),
    ...seen.jobs.flatMap((job) => notRun(seen, job, acknowledged.get(job.jobId))),
    ...clients.byHand.flatMap((id) => notRunByHand(seen, id)),
    ...[...seen.rows.values()].flat().flatMap((row) => miscounted(seen, row, runsOf)),
  ];
}

/** A second run of an execution follows a failed attempt or a kill. */
function doubled({ stopped }: Seen, runs: readonly Run[]): string[] {
  const sorted = runs.toSorted((a, b) => a.at - b.at || a.attempt - b.attempt);
  return sorted.flatMap((run, i) => {
    const next = sorted[i + 1];
    if (!next) return [];
    const named = `${next.executionId} ran as attempt ${next.attempt} after attempt ${run.attempt}`;
    if (next.attempt <= run.attempt) return [`${named}: the number did not grow`];
    const killedAt = stopped.get(run.pid) ?? Number.POSITIVE_INFINITY;
    return run.end?.how === 'failed' || killedAt <= next.at ? [] : [`${named}, which had not failed`];
  });
}

/** Nothing here is refused, cancelled or late beyond its grace, so only overlap may skip an occurrence. */
function notRun(seen: Seen, job: Accepted, asked: Acknowledged | undefined): string[] {
  const rows = seen.rows.get(job.jobId) ?? [];
  const maySkip = asked?.body.schedule?.every !== undefined && job.overlap === 'skip';
  const dues = expectedDues(job, seen.until);
  const missing = dues.length === 0 && rows.length === 0 ? [`${job.jobId} has no occurrence at all`] : [];
  return missing.concat(
    rows
      .filter(({ status }) => status !== 'SUCCEEDED' && !(maySkip && status === 'SKIPPED'))
      .map(({ due, status }) => `${job.jobId}.${due} ended as ${status}`),
  );
}

function notRunByHand({ rows }: Seen, id: string): string[] {
  const [jobId = ''] = id.split('.');
  const row = rows.get(jobId)?.find(({ due }) => `${jobId}.${due}` === id);
  return row?.status === 'SUCCEEDED'
    ? []
    : [`${id} was asked for by hand and is ${row?.status ?? 'not there'}`];
}

/** Each start counts once. A kill may count an attempt that had not begun (docs/protocol.md#lost). */
function miscounted({ stopped }: Seen, row: Row, runsOf: ReadonlyMap<string, readonly Run[]>): string[] {
  if (row.status === 'SKIPPED') return [];
  const starts = runsOf.get(`${row.jobId}.${row.due}`)?.length ?? 0;
  const most = starts + stopped.size;
  return row.attempt >= starts && row.attempt <= Math.min(most, row.maxAttempts)
    ? []
    : [`${row.jobId}.${row.due} counts ${row.attempt} attempts after ${starts} starts`];
}
