// Compares what two servers did with the same sequence. Ids become numbers in the order in which they appeared, and times count
// from the start of the sequence. Planned times must be equal. Others may differ by what a claim or a wait of a change may take.

import type { Sequence } from './sequences.ts';
import { startOf } from './sequences.ts';
import type { Answer, Outcome } from './side.ts';

export interface Difference {
  readonly seed: number;
  /** "POST /jobs/{id}/run", or "calls". */
  readonly route: string;
  /** Of the request within the sequence. */
  readonly number: number;
  /** The field, without indexes: "body.items.status". */
  readonly field: string;
  readonly base: unknown;
  readonly head: unknown;
  readonly request?: string;
  readonly sent?: unknown;
}

const TOLERANCE_MS = 2_600;
const PLANNED = new Set([
  'dueAt',
  'fireAt',
  'startAt',
  'endAt',
  'pausedUntil',
  'nextRunAt',
  'times',
  'due',
  'until',
]);
/** Values that also depend on other users, on the process, on when a counter was reserved, or on a delivery. */
const IGNORED = new Set([
  'receivedAt',
  'enqueuedAt',
  'requestId',
  'workerId',
  'used',
  'readAt',
  'countedAt',
  'nextCursor',
]);
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b\d+(?:\.\d+)? (?:ms|s)\b/g;

/** The path of the contract that a request went to. */
export const routeOf = (method: string, path: string): string =>
  `${method} ${(path.split('?')[0] ?? '')
    .replace(/^\/jobs\/by-name\/[^/]+\/[^/]+$/, '/jobs/by-name/{namespace}/{name}')
    .replace(/^\/jobs\/(?!batch$|bulk$|by-name\/)[^/]+/, '/jobs/{id}')
    .replace(/^\/executions\/(?!summary$)[^/]+/, '/executions/{id}')
    .replace(/^\/operations\/[^/]+/, '/operations/{id}')
    .replace(/^\/limits\/[^/]+/, '/limits/{owner}')
    .replace(/^\/docs\/[^/]+/, '/docs/{file}')}`;

export function compare(sequence: Sequence, index: number, base: Outcome, head: Outcome): Difference[] {
  const [one, other] = [base, head].map((outcome) => readable(sequence, index, outcome)) as [
    Readable,
    Readable,
  ];
  const found: Difference[] = [];
  const length = Math.max(one.answers.length, other.answers.length);
  for (let number = 0; number < length; number++) {
    const [a, b] = [one.answers[number], other.answers[number]];
    const given = a ?? b;
    if (!given) continue;
    const at = { seed: sequence.seed, number, route: given.route, request: given.request, sent: given.sent };
    if (!a || !b) found.push({ ...at, field: 'presence', base: a?.request, head: b?.request });
    else if (a.request !== b.request)
      found.push({ ...at, field: 'request', base: a.request, head: b.request });
    else for (const leaf of leaves(a.content, b.content)) found.push({ ...at, ...leaf });
    if (found.length > 200) break;
  }
  const at = { seed: sequence.seed, number: length, route: 'calls' };
  for (const leaf of leaves(one.calls, other.calls)) found.push({ ...at, ...leaf });
  return found;
}

interface Readable {
  readonly answers: { route: string; request: string; sent: unknown; content: unknown }[];
  readonly calls: unknown[];
}

function readable({ seed, slot }: Sequence, index: number, outcome: Outcome): Readable {
  const start = startOf(seed);
  const names = new Map<string, string>();
  const name = (kind: string, id: string): string => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const fresh = `${kind}#${names.size}`;
    names.set(id, fresh);
    return fresh;
  };
  const text = (value: string): string =>
    value
      .replace(
        /(job_[0-9a-zA-Z]{20})(?:\.(\d{13})(-[0-9a-zA-Z]+)?)?/g,
        (whole, job: string, due?: string, byHand?: string) =>
          due === undefined
            ? name('job', job)
            : byHand === undefined
              ? `${name('job', job)}@${Number(due) - start}`
              : name('run', whole),
      )
      .replace(/op_[0-9a-zA-Z]{20}/g, (id) => name('op', id))
      .replace(/(?<=[#@]\d+)\.[0-9a-zA-Z]{12}(?=\.)/g, '')
      .replace(/\b(worker |on )\S+-\w{4}\b/g, '$1…')
      .replace(/\bshard \d+/g, 'shard …')
      .replace(/127\.0\.0\.1:\d+/g, 'receiver')
      .replace(/cursor=[^&]+/g, 'cursor=…');
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string')
      return key === 'key' && value.length === 12 ? name('error', value) : text(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, IGNORED.has(name) ? '…' : walk(item, name)]),
    );
  };
  const content = ({ status, headers, body, compare }: Answer): unknown => {
    if (compare === 'status') return { status };
    if (compare === 'shape')
      return { status, keys: typeof body === 'object' ? Object.keys(body ?? {}).sort() : typeof body };
    return walk(
      {
        status,
        headers: { ...headers, ...(headers.etag !== undefined && { etag: versionOf(headers.etag) }) },
        body: ordered(body, names),
      },
      '',
    );
  };
  return {
    answers: (outcome.answers[index] ?? []).map((answer) => ({
      route: routeOf(answer.method, answer.path),
      request: `${answer.at} ${answer.as ?? ''} ${answer.method} ${text(answer.path).replace(/errorKey=[\w-]{12}/, 'errorKey=…')}`,
      sent: answer.sent,
      content: content(answer),
    })),
    calls: (outcome.calls[slot] ?? [])
      .map((call) => walk(call, ''))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
}

/** An ETag without the hash of the answer, which has ids in it. */
const versionOf = (etag: string): string =>
  /^"[\w-]{11}"$/.test(etag) ? '…' : etag.replace(/-[\w-]{11}"$/, '"');

/** Items of one time come in the order of random ids, so they are sorted by their jobs, or by their content. */
function ordered(body: unknown, names: ReadonlyMap<string, string>): unknown {
  const { items } = (body ?? {}) as {
    items?: { id: string; jobId?: string; dueAt?: string; createdAt?: string }[];
  };
  if (!Array.isArray(items)) return body;
  const time = (item: (typeof items)[number]) => item.dueAt ?? item.createdAt ?? '';
  const content = (item: (typeof items)[number]) =>
    names.get(item.jobId ?? item.id) ??
    JSON.stringify(item).replace(/job_[0-9a-zA-Z]{20}(\.\d{13}(-\w+)?)?/g, '');
  const isTied = items.some(
    (item, i) => i > 0 && time(item) !== '' && time(item) === time(items[i - 1] ?? item),
  );
  if (!isTied) return body;
  const groups = items.map((item, i) => ({
    item,
    group: items.findIndex((other) => time(other) === time(item)),
    i,
  }));
  groups.sort((a, b) => a.group - b.group || (content(a.item) < content(b.item) ? -1 : 1));
  return { ...(body as object), items: groups.map(({ item }) => item) };
}

type Leaf = Pick<Difference, 'field' | 'base' | 'head'>;

function leaves(a: unknown, b: unknown, field = '', key = ''): Leaf[] {
  if (Object.is(a, b)) return [];
  if (
    typeof a === 'object' &&
    typeof b === 'object' &&
    a !== null &&
    b !== null &&
    Array.isArray(a) === Array.isArray(b)
  ) {
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return [{ field: `${field}.length`, base: a.length, head: b.length }];
      return a.flatMap((item, i) => leaves(item, b[i], field, key));
    }
    const [one, other] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) =>
      leaves(one[name], other[name], field === '' ? name : `${field}.${name}`, name),
    );
  }
  return isNear(a, b, field.endsWith('schedule.at') ? 'startAt' : key) ? [] : [{ field, base: a, head: b }];
}

/** Of an instant, or of a length such as "9 s". */
function milliseconds(text: string): number {
  const [amount, unit] = text.split(' ');
  return unit === undefined ? Date.parse(text) : Number(amount) * (unit === 's' ? 1_000 : 1);
}

function isNear(a: unknown, b: unknown, key: string): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return /Ms$/.test(key) && Math.abs(a - b) <= TOLERANCE_MS;
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  if (PLANNED.has(key) || a.replace(TIME, '') !== b.replace(TIME, '')) return false;
  const [one, other] = [a, b].map((text) => (text.match(TIME) ?? []).map(milliseconds)) as [
    number[],
    number[],
  ];
  return (
    one.length === other.length &&
    one.every((time, i) => Math.abs(time - (other[i] ?? Number.NaN)) <= TOLERANCE_MS)
  );
}
