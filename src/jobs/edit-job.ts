// Edit of a job. The order of writes is entries and the record of the change, then head, then messages.

import { fingerprint } from '../domain/digest.ts';
import { Conflict, PreconditionFailed } from '../domain/errors.ts';
import type { Definition, Head } from '../domain/jobs/job.ts';
import { endOfJob } from '../domain/jobs/job-end.ts';
import type { JobPatch } from '../domain/jobs/job-spec.ts';
import { notifiesOf } from '../domain/jobs/notify-events.ts';
import { bytesOfChange, bytesOfJob } from '../domain/jobs/stored-bytes.ts';
import type { Principal } from '../domain/principal.ts';
import { resolveSchedule } from '../domain/schedule/resolve.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import type { JobView } from '../domain/views/resource-schemas.ts';
import { warningsOf } from '../domain/views/views.ts';
import { awaitStarts } from '../scheduling/claiming/await-starts.ts';
import type { Context } from '../scheduling/context.ts';
import { freshRevision, plan } from '../scheduling/planning/plan-revision.ts';
import { findDefinition, refuseLarge, writeDefinition } from '../scheduling/records/definitions.ts';
import { writerDeadline } from '../scheduling/records/writer-deadline.ts';
import { searchesOf } from '../scheduling/searches.ts';
import { type ChangeRequest, changeJob, type Decision } from './change-records.ts';
import { refuseEnded, viewOfJob } from './job-state.ts';
import { refuseEditOfOthers } from './secrets-of-others.ts';

export interface EditOptions {
  /** The version that the job must have. Undefined if any version is accepted. */
  readonly ifMatch?: number;
  /** Checks the new task and params before the first write. Throws if they are not valid. */
  checkParams?(task: string, params: Definition['params']): void;
  /** Checks the limits of the job's owner for changed fields, before the first write. Throws QuotaExceeded. */
  admit?(userId: string, changed: ChangedJob): Promise<void>;
}

/** The fields of a job after an edit that limits are about. Undefined for those that do not change. */
export interface ChangedJob {
  readonly schedule: Schedule | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly task: string;
  readonly params: Definition['params'] | undefined;
  /** What the edit adds to the store. */
  readonly bytes: number;
}

export async function editJob(
  context: Context,
  who: Principal,
  jobId: string,
  patch: JobPatch,
  { ifMatch, ...checks }: EditOptions = {},
): Promise<JobView> {
  const t0 = context.clock.now();
  const { note, ...fields } = patch;
  const { head } = await applyEdit(
    context,
    { who, jobId, what: 'edited', note },
    (seen) => {
      refuseEnded(seen, 'edited');
      if (ifMatch !== undefined && seen.version !== ifMatch) {
        throw new PreconditionFailed(
          `If-Match must name the current version of job ${jobId}, ${seen.version}; got ${Number.isNaN(ifMatch) ? 'another ETag' : ifMatch}`,
        );
      }
      if (Object.keys(fields).length === 0) return undefined;
      refuseRename(seen, patch);
      return { fields };
    },
    checks,
  );
  const warnings = fields.schedule && warningsOf(head.schedule, t0, searchesOf(context));
  return { ...(await viewOfJob(context, who, head)), ...warnings };
}

/** The changes of an edit. */
export interface Edit {
  readonly fields: Omit<JobPatch, 'note'>;
  /** Whether the job is to be paused. Undefined if it stays as it is. */
  readonly paused?: boolean;
  /** Whether the edit comes from a request by name. */
  readonly byName?: boolean;
}

/** Writes the edit that `editOf` decides for the head, or nothing if it is undefined. */
export async function applyEdit(
  context: Context,
  request: ChangeRequest,
  editOf: (seen: Head) => Edit | undefined | Promise<Edit | undefined>,
  { checkParams, admit }: Omit<EditOptions, 'ifMatch'> = {},
): Promise<{ head: Head; changed: boolean }> {
  const t0 = context.clock.now();
  const inTime = writerDeadline(context);
  const { who, jobId } = request;
  let send: (() => Promise<void>) | undefined;
  /** What this request has written in all rounds. The definition of a lost round stays. */
  let written = 0;
  const { head, changed } = await changeJob(context, request, async (seen) => {
    send = undefined;
    const edit = await editOf(seen);
    if (!edit) return undefined;
    const { fields } = edit;
    refuseOverlapChange(seen, fields);
    const { params, notify, schedule: given, retry, misfire, limit, ...common } = fields;
    const pauses = edit.paused === true && seen.status === 'active';
    const resumes = edit.paused === false && seen.status === 'paused';
    const decided: { -readonly [K in keyof Decision['set']]: Decision['set'][K] } = {
      ...common,
      ...(retry && { retry: { ...seen.retry, ...retry } }),
      ...(misfire && { misfire: { ...seen.misfire, ...misfire } }),
      ...(limit !== undefined && { limit: limit ?? undefined }),
      ...(pauses && { status: 'paused', pausedUntil: undefined }),
      ...(resumes && { status: 'active' }),
      ...(edit.byName && { applied: seen.version + 1 }),
    };
    const now = params || notify || fields.task ? await findDefinition(context, seen) : undefined;
    refuseEditOfOthers(who, seen, now, fields);
    if (params || fields.task) checkParams?.(fields.task ?? seen.task, params ?? now?.params ?? {});
    const next = { params: params ?? now?.params ?? {}, notify: notify ?? now?.notify ?? [] };
    const size = refuseLarge(next);
    if (given) decided.schedule = resolveSchedule(given, t0);
    const isNewDefinition = params !== undefined || notify !== undefined;
    const sides = { before: headFields(seen, decided), after: headFields(decided, decided) };
    const bytes = bytesOfChange({ ...sides, note: request.note }, isNewDefinition ? size : 0);
    await admit?.(seen.userId, {
      schedule: decided.schedule,
      timeoutSeconds: fields.timeoutSeconds,
      task: fields.task ?? seen.task,
      params: params || fields.task ? next.params : undefined,
      bytes,
    });
    written += bytes;
    if (given || resumes) {
      const revision = freshRevision(context);
      decided.revision = revision;
      // the occurrences of a paused job are planned at its resume
      if ((seen.status === 'active' || resumes) && !pauses)
        send = await plan(context, { ...seen, revision, schedule: decided.schedule ?? seen.schedule }, t0, {
          refuseSearch: given !== undefined,
        });
    }
    if (notify) decided.notifies = notifiesOf(notify);
    if (isNewDefinition) {
      const { definition, inline } = await writeDefinition(
        ...([context, jobId, seen.version + 1, next] as const),
        endOfJob({ ...seen, ...decided, updatedAt: t0 }),
      );
      decided.definition = definition;
      decided.inline = inline;
    }
    const isReplaced = (name: 'params' | 'notify') => fields[name] && !isSame(fields[name], now?.[name]);
    return {
      set: decided,
      replaces: (['params', 'notify'] as const).filter(isReplaced),
      bytes: [isNewDefinition ? size : bytesOfJob(seen)[0], written],
      ...(Object.keys(fields).length === 0 && { what: pauses ? 'paused' : 'resumed' }),
      inTime,
    };
  });
  await send?.();
  if (changed) await awaitStarts(context, jobId);
  return { head, changed };
}

/** The fields that an edit sets, as `from` has them. */
const headFields = (from: Partial<Head>, set: Partial<Head>) =>
  Object.fromEntries(Object.keys(set).map((name) => [name, from[name as keyof Head]]));

const isSame = (a: unknown, b: unknown): boolean => fingerprint(a) === fingerprint(b);

/** With `overlap: allow` nothing takes the lock. A change would hide a run from the next one. */
function refuseOverlapChange(head: Head, { overlap }: JobPatch): void {
  if (overlap === undefined || (overlap === 'allow') === (head.overlap === 'allow')) return;
  throw new Conflict(
    `overlap cannot be changed from "${head.overlap}" to "${overlap}", because running executions would be missed; create a new job instead`,
  );
}

/** The name of a job in a namespace is its identity. Its pointer would lead to a job of another name. */
function refuseRename({ jobId, namespace, name }: Head, patch: JobPatch): void {
  if (namespace === undefined || patch.name === undefined || patch.name === name) return;
  throw new Conflict(
    `job ${jobId} is "${name}" in the namespace "${namespace}" and cannot be renamed; create the job under the new name and cancel this one`,
  );
}
