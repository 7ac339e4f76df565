// Creates, edits or replaces the job of a name, so that it is as described (docs/decisions/0044).
//
// The order of writes of a create or replace is: pointer, head of the new job, cancel of the job before. The pointer names both
// jobs. So a second request, or the next one after a crash, creates under the same id and cancels what was left.

import { CONFLICT, REQUEST_RETRY, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { Conflict, PreconditionFailed } from '../../domain/errors.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { endOfJob } from '../../domain/jobs/job-end.ts';
import { type JobName, type NamePointer, nameText } from '../../domain/jobs/job-name.ts';
import type { JobPatch } from '../../domain/jobs/job-spec.ts';
import { bytesOfNewJob } from '../../domain/jobs/stored-bytes.ts';
import type { Principal } from '../../domain/principal.ts';
import { nextOccurrence } from '../../domain/schedule/occurrences.ts';
import type { Schedule } from '../../domain/schedule/schedule-schema.ts';
import type { JobView, NamedJobAction } from '../../domain/views/resource-schemas.ts';
import { warningsOf } from '../../domain/views/views.ts';
import type { Context } from '../../scheduling/context.ts';
import { neverFires } from '../../scheduling/planning/plan-revision.ts';
import { confirmWrite } from '../../scheduling/records/confirm-write.ts';
import { findDefinition, refuseLarge } from '../../scheduling/records/definitions.ts';
import { inSearchParts, searchesOf } from '../../scheduling/searches.ts';
import { cancelJob } from '../cancel-job.ts';
import type { TakeBytes } from '../change-records.ts';
import { createJob, JobExists, newJobId } from '../create-job.ts';
import { applyEdit, type ChangedJob } from '../edit-job.ts';
import { viewOfJob } from '../job-state.ts';
import { type Comparison, compareNamed, type Wanted } from './compare-named-job.ts';
import { type Found, findNamed, isLive } from './find-named-job.ts';

/** The ETag that the job must have. `*` is any job. The version is NaN for an ETag that no job has. */
export type NamedMatch = '*' | { readonly version: number; readonly jobId?: string | undefined };

export interface PutOptions {
  readonly ifMatch?: NamedMatch | undefined;
  readonly note?: string | undefined;
  /** Checks the limits of the owner for changed fields. Throws QuotaExceeded. It writes nothing. */
  checkLimits?(changed: Omit<ChangedJob, 'bytes'>): Promise<void>;
  /** Takes a new job from the quotas. `replaces`: another active job is cancelled for it. */
  takeQuota?(replaces: boolean, bytes: number): Promise<void>;
  /** Called before the first write of an edit. */
  readonly takeBytes?: TakeBytes;
}

export interface Put {
  readonly action: NamedJobAction;
  readonly job: JobView;
}

/** The job has changed since it was compared, so that it cannot be edited any more. */
class ComparedTooEarly extends Conflict {}

export async function putNamedJob(
  context: Context,
  who: Principal,
  name: JobName,
  wanted: Wanted,
  options: PutOptions = {},
): Promise<Put> {
  let hasQuota = false;
  const takeQuota = async (replaces: boolean, bytes: number) => {
    if (!hasQuota) await options.takeQuota?.(replaces, bytes);
    hasQuota = true;
  };
  const put = { who, name, wanted, options: { ...options, takeQuota } };
  const done = await retryConflicts(context, REQUEST_RETRY, async () => {
    const found = await findNamed(context, who.userId, name);
    const comparison = await comparedNow(context, found.head, wanted);
    checkMatch(name, found.head, options.ifMatch);
    await checkChange(context, comparison, wanted, options);
    // before the pointer can be written again, because it names one replaced job only
    if (found.leftover) await cancelReplaced(context, who, found.leftover.jobId, found.pointer?.jobId);
    try {
      return await carryOut(context, put, found, comparison);
    } catch (error) {
      if (error instanceof JobExists || error instanceof ComparedTooEarly) return CONFLICT;
      throw error;
    }
  });
  if (done === CONFLICT)
    throw new Conflict(`job ${nameText(name)} is being changed by other requests; try again`);
  return done;
}

interface Request {
  readonly who: Principal;
  readonly name: JobName;
  readonly wanted: Wanted;
  readonly options: PutOptions;
}

async function carryOut(
  context: Context,
  request: Request,
  found: Found,
  { action, schedule }: Comparison,
): Promise<Put | typeof CONFLICT> {
  const { head } = found;
  if (action === 'none' && head) return { action, job: await viewOfJob(context, request.who, head) };
  if (action === 'update' && head) return update(context, request, head);
  return create(context, request, found, action, schedule);
}

/** Compares again with the head that the edit is written to, because another request may have changed it. */
async function update(
  context: Context,
  { who, name, wanted, options }: Request,
  { jobId }: Head,
): Promise<Put> {
  const t0 = context.clock.now();
  let action: NamedJobAction = 'update';
  let isNewSchedule = false;
  const { head } = await applyEdit(
    context,
    { who, jobId, what: 'edited', note: options.note },
    async (seen) => {
      checkMatch(name, seen, options.ifMatch);
      const now = await comparedNow(context, seen, wanted);
      if (now.action !== 'update' && now.action !== 'none')
        throw new ComparedTooEarly(`job ${jobId} cannot be edited any more`);
      action = now.action;
      if (now.action === 'none') return undefined;
      const fields = now.fields.filter((field) => field !== 'paused');
      // in an edit, null takes a limit away
      const values = { ...wanted.spec, limit: wanted.spec.limit ?? null, schedule: now.schedule };
      isNewSchedule = fields.includes('schedule');
      return {
        fields: Object.fromEntries(fields.map((field) => [field, values[field]])) as JobPatch,
        paused: wanted.paused,
        byName: true,
      };
    },
    { admit: async (userId, { bytes }) => options.takeBytes?.(userId, bytes) },
  );
  const warnings = isNewSchedule ? warningsOf(head.schedule, t0, searchesOf(context)) : {};
  return { action, job: { ...(await viewOfJob(context, who, head)), ...warnings } };
}

async function create(
  context: Context,
  { who, name, wanted, options }: Request,
  { pointer, head, reserved }: Found,
  action: NamedJobAction,
  schedule: Schedule,
): Promise<Put | typeof CONFLICT> {
  const { spec, paused } = wanted;
  const { userId } = who;
  const replaced = head && isLive(head) ? head.jobId : undefined;
  const { params, notify, ...fields } = spec;
  const bytes = bytesOfNewJob(refuseLarge({ params, notify }), { ...fields, schedule }, options.note);
  await options.takeQuota?.(replaced !== undefined, bytes);
  const jobId = reserved ?? newJobId(context.random);
  if (reserved === undefined) {
    const next = {
      userId,
      ...name,
      jobId,
      previous: replaced,
      stamp: context.random.id(12),
    };
    const end = endOfJob({ status: 'active', schedule, updatedAt: context.clock.now() });
    if (!(await writePointer(context, pointer, next, end))) return CONFLICT;
  }
  const { job } = await createJob(context, {
    userId,
    spec: { ...spec, schedule, name: name.name },
    named: { namespace: name.namespace, jobId },
    paused,
    note: options.note,
  });
  if (replaced !== undefined) await cancelReplaced(context, who, replaced, jobId);
  return { action, job };
}

const writePointer = (
  { store }: Context,
  seen: NamePointer | undefined,
  { previous, ...pointer }: NamePointer,
  end: number | undefined,
): Promise<boolean> =>
  confirmWrite(
    () => store.writeName(seen, { ...pointer, ...(previous !== undefined && { previous }) }, end),
    async () =>
      (await store.readName(pointer.userId, pointer.namespace, pointer.name))?.stamp === pointer.stamp,
  );

const cancelReplaced = (
  context: Context,
  who: Principal,
  jobId: string,
  by: string | undefined,
): Promise<void> => cancelJob(context, who, jobId, { note: `replaced by ${by}` });

export async function comparedNow(
  context: Context,
  head: Head | undefined,
  wanted: Wanted,
): Promise<Comparison> {
  const definition = head && (await findDefinition(context, head));
  return compareNamed(wanted, head, definition ?? { params: {}, notify: [] }, context.clock.now());
}

/** Throws for fields that a create or an edit would refuse, before the first write. */
export async function checkChange(
  context: Context,
  { action, schedule, fields }: Comparison,
  { spec }: Wanted,
  { checkLimits }: Pick<PutOptions, 'checkLimits'>,
): Promise<void> {
  if (action === 'none') return;
  const isChanged = (...names: Comparison['fields'][number][]) =>
    action !== 'update' || names.some((name) => fields.includes(name));
  const now = context.clock.now();
  if (isChanged('schedule')) {
    const due = await inSearchParts(context, (searches) => nextOccurrence(schedule, now - 1, searches));
    if (due === undefined) throw neverFires(schedule, now);
  }
  await checkLimits?.({
    schedule: isChanged('schedule') ? schedule : undefined,
    timeoutSeconds: isChanged('timeoutSeconds') ? spec.timeoutSeconds : undefined,
    task: spec.task,
    params: isChanged('params', 'task') ? spec.params : undefined,
  });
}

/** A change checks it again with the head that it is written to, because another request may have changed the job. */
export function checkMatch(name: JobName, head: Head | undefined, match: NamedMatch | undefined): void {
  if (match === undefined) return;
  if (!head || head.status === 'cancelled')
    throw new PreconditionFailed(`If-Match needs a job, and ${nameText(name)} has none`);
  if (match === '*') return;
  const { version, jobId } = match;
  if (version === head.version && (jobId === undefined || jobId === head.jobId)) return;
  const given = Number.isNaN(version)
    ? 'another ETag'
    : `"${version}${jobId === undefined ? '' : `-${jobId}`}"`;
  throw new PreconditionFailed(
    `If-Match must name the current version of job ${nameText(name)}, "${head.version}-${head.jobId}"; got ${given}`,
  );
}
