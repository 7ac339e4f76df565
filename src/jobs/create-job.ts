// Creates a job. The order of writes is entries, definition and record of the change, then head, then messages.

import { fingerprint, jobIdFromKey } from '../domain/digest.ts';
import { Conflict } from '../domain/errors.ts';
import { CREATED_FIELDS } from '../domain/jobs/change.ts';
import type { Head } from '../domain/jobs/job.ts';
import { endOfJob } from '../domain/jobs/job-end.ts';
import type { JobSpec } from '../domain/jobs/job-spec.ts';
import { notifiesOf } from '../domain/jobs/notify-events.ts';
import { bytesOfNewJob } from '../domain/jobs/stored-bytes.ts';
import { resolveAccepted, resolveSchedule } from '../domain/schedule/resolve.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import type { JobView } from '../domain/views/resource-schemas.ts';
import { jobView, warningsOf } from '../domain/views/views.ts';
import type { Context, Random } from '../scheduling/context.ts';
import { planned } from '../scheduling/planning/plan-revision.ts';
import { confirmWrite } from '../scheduling/records/confirm-write.ts';
import { findDefinition, firstDefinition, refuseLarge } from '../scheduling/records/definitions.ts';
import { writerDeadline } from '../scheduling/records/writer-deadline.ts';
import { searchesOf } from '../scheduling/searches.ts';
import { recordChange } from './change-records.ts';
import { countOrphans } from './limits/stored-jobs.ts';

export interface CreateRequest {
  readonly userId: string;
  readonly spec: JobSpec;
  readonly idempotencyKey?: string;
  /** The job has a name and this id, which the pointer of the name has. Not together with an idempotency key. */
  readonly named?: { readonly namespace: string; readonly jobId: string };
  /** The job is created as paused. Its occurrences are planned at its resume. */
  readonly paused?: boolean;
  /** Why the job is created. It is stored in the record of the change. */
  readonly note?: string | undefined;
  /** When the request was accepted, if it was queued. Relative times of the schedule count from then. */
  readonly acceptedAt?: number;
  /** Checks quotas before the first write. Throws if one is exceeded. Not called for a repeated request. */
  admit?(schedule: Schedule, spec: JobSpec, bytes: number): Promise<void>;
}

/** Another request has created the job with this id. */
export class JobExists extends Conflict {}

export async function createJob(
  context: Context,
  { userId, spec, idempotencyKey, named, paused = false, note, acceptedAt, admit }: CreateRequest,
): Promise<{ job: JobView; created: boolean }> {
  const { store, clock, random } = context;
  const t0 = clock.now();
  const inTime = writerDeadline(context);
  const revision = random.id(12);
  const jobId =
    named?.jobId ?? (idempotencyKey === undefined ? newJobId(random) : jobIdFromKey(userId, idempotencyKey));
  const bodyFingerprint = idempotencyKey === undefined ? undefined : fingerprint(spec);
  if (bodyFingerprint) {
    const first = await store.readHead(jobId, { consistent: true });
    if (first) return repeated(context, first, bodyFingerprint);
  }
  const { params, notify, schedule: given, ...common } = spec;
  const schedule =
    acceptedAt === undefined
      ? resolveSchedule(given, t0)
      : resolveAccepted(given, Math.min(acceptedAt, t0), t0);
  const definitionBytes = refuseLarge({ params, notify });
  const bytes = bytesOfNewJob(definitionBytes, { ...common, schedule }, note);
  await admit?.(schedule, spec, bytes);
  const { entries, send } = await planned(context, { jobId, userId, revision, schedule }, t0);
  const status = paused ? 'paused' : 'active';
  const end = endOfJob({ status, schedule, updatedAt: t0 });
  // no reader looks at these before the head is written, so they need no order
  const [definition, updatedAt] = await Promise.all([
    firstDefinition(context, jobId, { ...common, schedule, params, notify }, end),
    recordChange(
      context,
      { ...createdBy(userId, jobId, { ...common, schedule }, paused), ...(note !== undefined && { note }) },
      t0,
      end,
    ),
    /* [rule entries-first] */ store.putEntries(paused ? [] : entries),
  ]);
  const head: Head = {
    ...common,
    jobId,
    userId,
    status,
    schedule,
    revision,
    version: 1,
    ...definition,
    bytes: [definitionBytes, bytes],
    createdAt: t0,
    updatedAt,
    ...(notify.length > 0 && { notifies: notifiesOf(notify) }),
    ...(bodyFingerprint && { bodyFingerprint }),
    ...(named && { namespace: named.namespace, applied: 1 }),
  };
  inTime();
  if (!(await insertHead(context, head))) {
    // another request with the same key was faster: its job is returned, and the entries of this one are ignored
    const first = await store.readHead(jobId, { consistent: true });
    await countOrphans(context, userId, bytes);
    if (first && bodyFingerprint) return repeated(context, first, bodyFingerprint);
    throw new JobExists(`job ${jobId} already exists`);
  }
  // [rule entries-first-after]
  if (!paused) await send();
  const content = { jobId, version: head.definition, params, notify };
  const searches = searchesOf(context);
  const job = jobView(head, content, t0, undefined, searches);
  return { job: { ...job, ...warningsOf(schedule, t0, searches) }, created: true };
}

export const newJobId = (random: Random): string => `job_${random.id(20)}`;

const createdBy = (
  by: string,
  jobId: string,
  fields: Pick<Head, (typeof CREATED_FIELDS)[number]>,
  paused: boolean,
) => ({
  ...{ jobId, version: 1, by, what: 'created' as const },
  after: {
    ...Object.fromEntries(
      CREATED_FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
    ),
    ...(paused && { status: 'paused' as const }),
  },
});

const insertHead = ({ store }: Context, head: Head): Promise<boolean> =>
  confirmWrite(
    () => store.insertHead(head),
    async () => (await store.readHead(head.jobId, { consistent: true }))?.revision === head.revision,
  );

async function repeated(
  context: Context,
  first: Head,
  bodyFingerprint: string,
): Promise<{ job: JobView; created: boolean }> {
  refuseOtherBody(first, bodyFingerprint);
  const definition = await findDefinition(context, first);
  const now = context.clock.now();
  const searches = searchesOf(context);
  const job = jobView(first, definition, now, undefined, searches);
  return { job: { ...job, ...warningsOf(first.schedule, now, searches) }, created: false };
}

export function refuseOtherBody(first: Head, bodyFingerprint: string): void {
  if (first.bodyFingerprint !== bodyFingerprint)
    throw new Conflict('the Idempotency-Key was used before with a different request body');
}
