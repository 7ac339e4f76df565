// The job in the form. It has the fields of a request. A value that is not valid stays as it was typed.
import type { Job, JobChanges, JobInput } from '../../../../src/client/types.ts';
import { NOTIFY_ON, type NotifyEvent } from '../../../../src/domain/jobs/notify-events.ts';
import {
  MISFIRE_POLICIES,
  OVERLAP_POLICIES,
  POLICY_DEFAULTS,
} from '../../../../src/domain/jobs/policy-defaults.ts';
import type { Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';
import { isRecord, isSameValue } from '../../../../src/domain/value-changes.ts';
import {
  draftOfStored,
  type Numeric,
  readScheduleDraft,
  type ScheduleDraft,
} from '../schedule/schedule-draft.ts';

export interface NotifyDraft {
  readonly on: readonly NotifyEvent[];
  readonly lateSeconds?: Numeric;
  readonly webhook?: { readonly url: string };
  readonly email?: { readonly to: string };
  readonly sns?: { readonly topicArn: string };
}

export interface JobDraft {
  readonly name: string;
  /** Empty if none is chosen. */
  readonly task: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Undefined if the job runs now. */
  readonly schedule: ScheduleDraft | undefined;
  readonly retry: {
    readonly maxAttempts: Numeric;
    readonly backoffSeconds: Numeric;
    readonly maxBackoffSeconds: Numeric;
  };
  readonly timeoutSeconds: Numeric;
  readonly overlap: (typeof OVERLAP_POLICIES)[number];
  readonly misfire: { readonly policy: (typeof MISFIRE_POLICIES)[number]; readonly graceSeconds: Numeric };
  readonly limit: { readonly key: string; readonly concurrent: Numeric } | undefined;
  readonly notify: readonly NotifyDraft[];
  /** In the order of the form. A key may be empty or repeated while it is typed. */
  readonly tags: readonly (readonly [key: string, value: string])[];
}

export const emptyDraft = (timezone: string): JobDraft => ({
  name: '',
  task: '',
  params: {},
  schedule: { cron: '0 9 * * MON-FRI', timezone },
  ...POLICY_DEFAULTS,
  limit: undefined,
  notify: [],
  tags: [],
});

export const draftOfJob = (job: Job): JobDraft => ({
  name: job.name ?? '',
  task: job.task,
  params: job.params,
  schedule: draftOfStored(job.schedule as Schedule),
  retry: job.retry,
  timeoutSeconds: job.timeoutSeconds,
  overlap: job.overlap,
  misfire: job.misfire,
  limit: job.limit,
  notify: job.notify,
  tags: Object.entries(job.tags),
});

/** A job that is created like another one. */
export const duplicateOf = (job: Job): JobDraft => ({
  ...draftOfJob(job),
  name: job.name === undefined ? '' : `${job.name.slice(0, 95)} copy`,
});

/** A field of a request that the form shows. */
export type DraftField = keyof JobDraft;

/** The fields as the API has them. An absent field is undefined. */
export function fieldsOf(draft: JobDraft): Record<DraftField, unknown> {
  const { name, tags, ...rest } = draft;
  // A row that nothing was typed into is no tag.
  const typed = tags.filter((tag) => tag.join('') !== '');
  return { ...rest, name: name === '' ? undefined : name, tags: Object.fromEntries(typed) };
}

/** The request that creates the job. Fields with the default value are left out. */
export function requestOf(draft: JobDraft): JobInput {
  const defaults: Record<string, unknown> = { ...POLICY_DEFAULTS, params: {}, notify: [], tags: {} };
  const given = Object.entries(fieldsOf(draft)).flatMap(([name, value]) => {
    if (name === 'task') return [[name, value]];
    if (value === undefined || isSameValue(value, defaults[name])) return [];
    return [[name, name === 'retry' || name === 'misfire' ? differing(value, defaults[name]) : value]];
  });
  const order = ['name', 'task', 'params', 'schedule'];
  given.sort(([a], [b]) => rank(order, a) - rank(order, b));
  // The server checks the request, and its errors are shown at the fields.
  return Object.fromEntries(given) as JobInput;
}

const rank = (order: readonly string[], name: unknown): number => {
  const index = order.indexOf(String(name));
  return index < 0 ? order.length : index;
};

/** The fields of an object that differ from those of another one. */
const differing = (value: unknown, other: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(Object(value)).filter(([name, field]) => !isSameValue(field, Object(other)[name])),
  );

/** The edit that turns one draft into another. Empty if they are the same. */
export function changesBetween(from: JobDraft, to: JobDraft): JobChanges {
  const before = fieldsOf(from);
  const changed = Object.entries(fieldsOf(to)).filter(
    ([name, value]) => !isSameValue(value, before[name as DraftField]),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => {
      if (name === 'retry' || name === 'misfire') return [name, differing(value, before[name])];
      if (name === 'limit') return [name, value ?? null];
      // An absent field keeps its value, so an empty name is sent and refused.
      if (name === 'name') return [name, value ?? ''];
      return [name, value];
    }),
  ) as JobChanges;
}

/**
 * A draft with the fields of an unknown value, such as a link or an edit. Fields of a wrong type are left out. A schedule of
 * null is a job that runs now.
 */
export function applyFields(draft: JobDraft, value: unknown): JobDraft {
  if (!isRecord(value)) return draft;
  const { name, task, params, schedule, retry, timeoutSeconds, overlap, misfire, limit, notify, tags } =
    value;
  return {
    name: typeof name === 'string' ? name : draft.name,
    task: typeof task === 'string' ? task : draft.task,
    params: isRecord(params) ? params : draft.params,
    schedule: schedule === null ? undefined : (readScheduleDraft(schedule) ?? draft.schedule),
    retry: { ...draft.retry, ...numerics(retry, ['maxAttempts', 'backoffSeconds', 'maxBackoffSeconds']) },
    timeoutSeconds: isNumeric(timeoutSeconds) ? timeoutSeconds : draft.timeoutSeconds,
    overlap: OVERLAP_POLICIES.find((policy) => policy === overlap) ?? draft.overlap,
    misfire: {
      ...draft.misfire,
      ...numerics(misfire, ['graceSeconds']),
      policy: MISFIRE_POLICIES.find((policy) => policy === Object(misfire).policy) ?? draft.misfire.policy,
    },
    limit: limit === null ? undefined : (readLimit(limit) ?? draft.limit),
    notify: Array.isArray(notify) ? notify.flatMap(readNotify) : draft.notify,
    tags: isRecord(tags) ? Object.entries(tags).map(([key, text]) => [key, String(text)]) : draft.tags,
  };
}

const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'string';

const numerics = <Name extends string>(
  value: unknown,
  names: readonly Name[],
): Partial<Record<Name, Numeric>> =>
  Object.fromEntries(
    names.map((name) => [name, Object(value)[name]]).filter(([, field]) => isNumeric(field)),
  ) as Partial<Record<Name, Numeric>>;

const readLimit = (value: unknown): JobDraft['limit'] =>
  isRecord(value) && typeof value.key === 'string' && isNumeric(value.concurrent)
    ? { key: value.key, concurrent: value.concurrent }
    : undefined;

function readNotify(value: unknown): NotifyDraft[] {
  if (!isRecord(value) || !Array.isArray(value.on)) return [];
  const { on, lateSeconds } = value;
  const text = (target: string, field: string): string | undefined => {
    const found = Object(value[target])[field];
    return typeof found === 'string' ? found : undefined;
  };
  const [url, to, topicArn] = [text('webhook', 'url'), text('email', 'to'), text('sns', 'topicArn')];
  return [
    {
      on: NOTIFY_ON.filter((event) => on.includes(event)),
      ...(isNumeric(lateSeconds) && { lateSeconds }),
      ...(url !== undefined && { webhook: { url } }),
      ...(to !== undefined && { email: { to } }),
      ...(topicArn !== undefined && { sns: { topicArn } }),
    },
  ];
}
