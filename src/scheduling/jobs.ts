// Managing jobs: create, edit, pause, resume, cancel. A writer's order is always entries and the record of the change, then
// head, then messages.
import { CREATED_FIELDS } from '../domain/change.ts';
import { Conflict, InvalidInput, NeverFires, PreconditionFailed } from '../domain/errors.ts';
import { fingerprint, jobIdFromKey } from '../domain/ids.ts';
import type { Definition, Head } from '../domain/job.ts';
import type { JobPatch, JobSpec } from '../domain/job-spec.ts';
import { notifiesOf } from '../domain/notify.ts';
import type { Principal } from '../domain/principal.ts';
import { resolveAccepted, resolveSchedule } from '../domain/schedule/resolve.ts';
import type { Schedule } from '../domain/schedule/schema.ts';
import type { JobView } from '../domain/shapes.ts';
import type { Entry } from '../domain/slots.ts';
import { isPaused, jobView, warningsOf } from '../domain/views.ts';
import { withdrawHold } from './ahead.ts';
import { letStart } from './change-returns.ts';
import { changeJob, type Decision, recordChange } from './changes.ts';
import type { Context } from './context.ts';
import { writerDeadline } from './deadline.ts';
import { findDefinition, firstDefinition, writeDefinition } from './definitions.ts';
import { occurrencesUntil, regularEntry, regularMessage, writerHorizon } from './plan.ts';
import { refuseEditOfOthers } from './secrets-of-others.ts';
import { stopHolds } from './stop.ts';

export interface CreateRequest {
  readonly userId: string;
  readonly spec: JobSpec;
  readonly idempotencyKey?: string;
  /** When the request was accepted, if that was before: what is relative to its time counts from then. */
  readonly acceptedAt?: number;
  /** Asked before anything is written; throws to refuse (quotas). A repeated request is not asked again. */
  admit?(schedule: Schedule): Promise<void>;
}

export async function createJob(
  context: Context,
  { userId, spec, idempotencyKey, acceptedAt, admit }: CreateRequest,
): Promise<{ job: JobView; created: boolean }> {
  const { store, clock, random } = context;
  const t0 = clock.now();
  const inTime = writerDeadline(context);
  const revision = random.id(12);
  const jobId = idempotencyKey === undefined ? `job_${random.id(20)}` : jobIdFromKey(userId, idempotencyKey);
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
  refuseLarge({ params, notify });
  await admit?.(schedule);
  const { entries, send } = planned(context, { jobId, userId, revision, schedule }, t0);
  // no reader looks at any of these before the head is there, so their order is free
  const [definition, updatedAt] = await Promise.all([
    firstDefinition(context, jobId, { ...common, schedule, params, notify }),
    recordChange(context, createdBy(userId, jobId, { ...common, schedule }), t0),
    store.putEntries(entries),
  ]);
  const head: Head = {
    ...common,
    jobId,
    userId,
    status: 'active',
    schedule,
    revision,
    version: 1,
    ...definition,
    createdAt: t0,
    updatedAt,
    stamp: random.id(12),
    ...(notify.length > 0 && { notifies: notifiesOf(notify) }),
    ...(bodyFingerprint && { bodyFingerprint }),
  };
  inTime();
  if (!(await insertHead(context, head))) {
    // another request with the same key was faster; its job is the answer, our entries are dead
    const first = await store.readHead(jobId, { consistent: true });
    if (first && bodyFingerprint) return repeated(context, first, bodyFingerprint);
    throw new Conflict(`job ${jobId} exists already`);
  }
  await send();
  const content = { jobId, version: head.definition, params, notify };
  return { job: { ...jobView(head, content, t0), ...warningsOf(schedule, t0) }, created: true };
}

const createdBy = (by: string, jobId: string, fields: Pick<Head, (typeof CREATED_FIELDS)[number]>) => ({
  ...{ jobId, version: 1, by, what: 'created' as const },
  after: Object.fromEntries(CREATED_FIELDS.map((name) => [name, fields[name]])),
});

/** DynamoDB takes 400 KB; a body within the API's limit may still say much in few characters (`1e20`). */
const LARGEST_DEFINITION = 300_000;

function refuseLarge(definition: Pick<Definition, 'params' | 'notify'>): void {
  const size = Buffer.byteLength(JSON.stringify(definition));
  if (size <= LARGEST_DEFINITION) return;
  const message = `params and notify have ${size} bytes of JSON; at most ${LARGEST_DEFINITION} are allowed`;
  throw new InvalidInput([{ path: 'params', message }]);
}

/** A lost response of the insert shows as a refusal with our own revision. */
async function insertHead({ store }: Context, head: Head): Promise<boolean> {
  let failure: unknown;
  try {
    if (await store.insertHead(head)) return true;
  } catch (error) {
    failure = error;
  }
  const found = await store.readHead(head.jobId, { consistent: true });
  if (found?.revision === head.revision) return true;
  if (failure) throw failure;
  return false;
}

async function repeated(
  context: Context,
  first: Head,
  bodyFingerprint: string,
): Promise<{ job: JobView; created: boolean }> {
  refuseOtherBody(first, bodyFingerprint);
  const definition = await findDefinition(context, first);
  const now = context.clock.now();
  return { job: { ...jobView(first, definition, now), ...warningsOf(first.schedule, now) }, created: false };
}

export function refuseOtherBody(first: Head, bodyFingerprint: string): void {
  if (first.bodyFingerprint !== bodyFingerprint)
    throw new Conflict('this Idempotency-Key was used before with another body');
}

/** Writes the entries of a new revision. The result sends the messages, once the head counts. */
async function plan(context: Context, head: Planning, t0: number): Promise<() => Promise<void>> {
  const { entries, send } = planned(context, head, t0);
  await context.store.putEntries(entries);
  return send;
}

type Planning = Pick<Head, 'jobId' | 'userId' | 'revision' | 'schedule' | 'pausedUntil'>;

/**
 * The entries of a new revision, from t0 on to the first beyond what a writer has to send itself, and the function that sends
 * its messages. Writes nothing. Throws NeverFires (422) when there is no occurrence.
 */
function planned(
  { queue, clock, settings }: Context,
  head: Planning,
  t0: number,
): { entries: Entry[]; send: () => Promise<void> } {
  const from = Math.max(t0, head.pausedUntil ?? 0);
  const { inside, beyond } = occurrencesUntil(head.schedule, from - 1, writerHorizon(settings, t0));
  if (inside.length === 0 && beyond === undefined)
    throw from === t0 ? neverFires(head.schedule, t0) : neverResumes(head.schedule, from);
  const dues = beyond === undefined ? inside : [...inside, beyond];
  return {
    entries: dues.map((due) => regularEntry(head, due)),
    send: () => queue.send(inside.map((due) => regularMessage(head, due, clock.now()))),
  };
}

export const neverFires = (schedule: Schedule, t0: number): NeverFires =>
  new NeverFires(
    'at' in schedule
      ? `schedule.at is ${schedule.at}, which is past (it is ${new Date(t0).toISOString()}); leave the schedule out to run now`
      : `the schedule ${JSON.stringify(schedule)} has no occurrence after ${new Date(t0).toISOString()}`,
  );

const neverResumes = (schedule: Schedule, until: number): NeverFires =>
  new NeverFires(
    `the schedule ${JSON.stringify(schedule)} has no occurrence after ${new Date(until).toISOString()}, the end of the pause`,
  );

/**
 * Drawn in every round of a compare-and-set: what a lost round has planned must stay dead, because the head that it was
 * planned for is another now (paused until later, or with another schedule).
 */
const freshRevision = ({ random }: Context): string => random.id(12);

const ENDED = ['cancelled', 'completed', 'failed'];

function refuseEnded(head: Head, verb: string): void {
  if (ENDED.includes(head.status))
    throw new Conflict(`job ${head.jobId} is ${head.status} and cannot be ${verb}`);
}

async function view(context: Context, head: Head): Promise<JobView> {
  const definition = await findDefinition(context, head);
  return jobView(head, definition, context.clock.now());
}

/** Why: recorded with the change. Where nothing changes, nothing is recorded. */
export interface ChangeOptions {
  readonly note?: string | undefined;
}

export interface PauseOptions extends ChangeOptions {
  /** The job is resumed then. Absent: it is paused until somebody resumes it. */
  readonly until?: number | undefined;
}

/**
 * Everything not held is withdrawn, overdue and waiting ones too; what runs or is being retried goes on. With `until` the
 * occurrences from then on are planned at once, under a new revision: nobody has to wake the job.
 */
export async function pauseJob(
  context: Context,
  who: Principal,
  jobId: string,
  { note, until }: PauseOptions = {},
): Promise<JobView> {
  const t0 = context.clock.now();
  if (until !== undefined && until <= t0) {
    const [given, now] = [until, t0].map((time) => new Date(time).toISOString());
    throw new InvalidInput([
      { path: 'until', message: `must be in the future (it is ${now}), got ${given}` },
    ]);
  }
  const inTime = writerDeadline(context);
  let send: (() => Promise<void>) | undefined;
  const { head, changed } = await changeJob(context, { who, jobId, what: 'paused', note }, async (seen) => {
    refuseEnded(seen, 'paused');
    if (until === undefined) {
      if (seen.status === 'paused') return undefined;
      return { set: { status: 'paused', pausedUntil: undefined, ...withdrawHold(context, seen) } };
    }
    if (seen.status === 'active' && seen.pausedUntil === until) return undefined;
    const revision = freshRevision(context);
    send = await plan(context, { ...seen, revision, pausedUntil: until }, t0);
    return {
      set: { status: 'active', revision, pausedUntil: until, ...withdrawHold(context, seen) },
      inTime,
    };
  });
  if (changed) await send?.();
  await letStart(context, head);
  return view(context, head);
}

/** From now on, under a new revision: what fell into the pause stays out. */
export async function resumeJob(
  context: Context,
  who: Principal,
  jobId: string,
  { note }: ChangeOptions = {},
): Promise<JobView> {
  const t0 = context.clock.now();
  const inTime = writerDeadline(context);
  let send: (() => Promise<void>) | undefined;
  const { head, changed } = await changeJob(context, { who, jobId, what: 'resumed', note }, async (seen) => {
    refuseEnded(seen, 'resumed');
    if (seen.status === 'active' && !isPaused(seen, t0)) return undefined;
    const revision = freshRevision(context);
    send = await plan(context, { ...seen, revision, pausedUntil: undefined }, t0);
    return { set: { status: 'active', revision, pausedUntil: undefined }, inTime };
  });
  if (changed) await send?.();
  return view(context, head);
}

/** Nothing of it starts again; what runs is told to stop. Cancelling twice is cancelling once. */
export async function cancelJob(
  context: Context,
  who: Principal,
  jobId: string,
  { note }: ChangeOptions = {},
): Promise<void> {
  const { head } = await changeJob(context, { who, jobId, what: 'cancelled', note }, (seen) => {
    if (seen.status === 'cancelled') return undefined;
    const hold = seen.hold && { hold: { ...seen.hold, cancelRequested: true } };
    return { set: { status: 'cancelled', ...hold } };
  });
  await stopHolds(context, head);
  await letStart(context, head);
}

export interface EditOptions {
  /** Only where this is still the job's version. */
  readonly ifMatch?: number;
  /** Asked with the task and the params as they would be, before anything is written; throws to refuse. */
  checkParams?(task: string, params: Definition['params']): void;
  /** Asked for a new schedule, before anything is written; throws to refuse. */
  admit?(schedule: Schedule): void;
}

export async function editJob(
  context: Context,
  who: Principal,
  jobId: string,
  patch: JobPatch,
  { ifMatch, checkParams, admit }: EditOptions = {},
): Promise<JobView> {
  const { clock } = context;
  const t0 = clock.now();
  const inTime = writerDeadline(context);
  const { note, ...fields } = patch;
  const { params, notify, schedule: given, retry, misfire, ...common } = fields;
  let send: (() => Promise<void>) | undefined;
  const { head, changed } = await changeJob(context, { who, jobId, what: 'edited', note }, async (seen) => {
    refuseEnded(seen, 'edited');
    if (ifMatch !== undefined && seen.version !== ifMatch) {
      throw new PreconditionFailed(`job ${jobId} has version ${seen.version}, which If-Match does not name`);
    }
    if (Object.keys(fields).length === 0) return undefined;
    refuseNewOverlap(seen, patch);
    const decided: { -readonly [K in keyof Decision['set']]: Decision['set'][K] } = {
      ...common,
      ...(retry && { retry: { ...seen.retry, ...retry } }),
      ...(misfire && { misfire: { ...seen.misfire, ...misfire } }),
      ...(given && withdrawHold(context, seen)),
    };
    const now = params || notify || patch.task ? await findDefinition(context, seen) : undefined;
    refuseEditOfOthers(who, seen, now, fields);
    if (params || patch.task) checkParams?.(patch.task ?? seen.task, params ?? now?.params ?? {});
    const next = { params: params ?? now?.params ?? {}, notify: notify ?? now?.notify ?? [] };
    refuseLarge(next);
    if (given) {
      decided.schedule = resolveSchedule(given, t0);
      admit?.(decided.schedule);
      const revision = freshRevision(context);
      decided.revision = revision;
      // a paused job's occurrences are planned when it is resumed
      if (seen.status === 'active')
        send = await plan(context, { ...seen, revision, schedule: decided.schedule }, t0);
    }
    if (notify) decided.notifies = notifiesOf(notify);
    if (params || notify) {
      const { definition, inline } = await writeDefinition(context, jobId, seen.version + 1, next);
      decided.definition = definition;
      decided.inline = inline;
    }
    const isOther = (name: 'params' | 'notify') => fields[name] && !isSame(fields[name], now?.[name]);
    return { set: decided, replaces: (['params', 'notify'] as const).filter(isOther), inTime };
  });
  await send?.();
  if (changed) await letStart(context, head);
  return { ...(await view(context, head)), ...(given && warningsOf(head.schedule, t0)) };
}

const isSame = (a: unknown, b: unknown): boolean => fingerprint(a) === fingerprint(b);

/** Holds live in the head or beside it, by `overlap`: a change in between would hide a run from its successor. */
function refuseNewOverlap(head: Head, { overlap }: JobPatch): void {
  if (overlap === undefined || (overlap === 'allow') === (head.overlap === 'allow')) return;
  throw new Conflict(
    `overlap cannot be changed from "${head.overlap}" to "${overlap}": runs that are under way would not be seen; create a new job`,
  );
}
