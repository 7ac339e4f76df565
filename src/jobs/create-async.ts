// Asynchronous create: the request is validated and queued, and a consumer creates the job. The caller gets the id at once,
// because it is derived from the key in the message.
import { fingerprint, jobIdFromKey } from '../domain/digest.ts';
import { bytesOfNewJob } from '../domain/jobs/stored-bytes.ts';
import { nextOccurrence } from '../domain/schedule/occurrences.ts';
import { resolveSchedule } from '../domain/schedule/resolve.ts';
import type { ScheduleWarning } from '../domain/schedule/warnings.ts';
import { warningsOf } from '../domain/views/views.ts';
import type { IngestMessage, IngestQueue } from '../queue/ingest-queue.ts';
import type { Context } from '../scheduling/context.ts';
import { neverFires } from '../scheduling/planning/plan-revision.ts';
import { refuseLarge } from '../scheduling/records/definitions.ts';
import { inSearchParts, searchesOf } from '../scheduling/searches.ts';
import { type CreateRequest, createJob, refuseOtherBody } from './create-job.ts';

/** Undefined if the queue does not accept the message. Then the caller creates the job at once. */
export async function acceptJob(
  context: Context,
  ingest: IngestQueue,
  { userId, spec, idempotencyKey, admit }: CreateRequest,
): Promise<{ id: string; warnings?: ScheduleWarning[] } | undefined> {
  const { store, clock, random } = context;
  const searches = searchesOf(context);
  const acceptedAt = clock.now();
  // the space makes it different from every key of a caller
  const key = idempotencyKey ?? `accepted ${random.id(22)}`;
  const id = jobIdFromKey(userId, key);
  if (idempotencyKey !== undefined) {
    const first = await store.readHead(id, { consistent: true });
    if (first) refuseOtherBody(first, fingerprint(spec));
    if (first) return { id, ...warningsOf(first.schedule, acceptedAt, searches) };
  }
  const schedule = resolveSchedule(spec.schedule, acceptedAt);
  const due = await inSearchParts(context, () => nextOccurrence(schedule, acceptedAt - 1, searches));
  if (due === undefined) throw neverFires(schedule, acceptedAt);
  const { params, notify, ...common } = spec;
  const definitionBytes = refuseLarge({ params, notify });
  await admit?.(schedule, spec, bytesOfNewJob(definitionBytes, { ...common, schedule }, undefined));
  const queued = await ingest.send({ userId, idempotencyKey: key, spec, acceptedAt });
  return queued ? { id, ...warningsOf(schedule, acceptedAt, searches) } : undefined;
}

/** Creates the job if it does not exist. A PunctualError is permanent, so the caller must not retry it. */
export async function createAccepted(context: Context, message: IngestMessage): Promise<void> {
  await createJob(context, message);
}
