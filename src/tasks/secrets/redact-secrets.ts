// Redacts the values of secrets in the output of a run: its result, error, log lines and checkpoints. It finds the encodings of
// JSON, URLs, base64 and hex. It also finds parts of secrets where a text was truncated: at its ends, and next to the mark `…`
// (truncate.ts).
import { CUT } from './truncate.ts';

/** Minimum length of the beginning or end of a secret that is redacted. A shorter part reveals too little. */
const MIN_PART = 4;
/** Minimum length of a middle part of a secret that is redacted. A shorter part may be an ordinary word. */
const MIN_INSIDE = 16;
/** Maximum number of U+FFFD that a truncated UTF-8 character is decoded to. */
const BROKEN_CHARACTER = 3;

/** An encoding of a secret, and its replacement. */
interface Form {
  readonly form: string;
  readonly replacement: string;
}

/** A part of a text, and its replacement. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export class SecretRedactor {
  readonly #forms: readonly Form[];

  constructor(values: ReadonlyMap<string, string>) {
    this.#forms = [...values].flatMap(([name, value]) =>
      formsOf(value).map((form) => ({ form, replacement: `[secret ${name}]` })),
    );
  }

  text(text: string): string {
    const whole = this.#forms.flatMap((form) => wholeIn(text, form));
    const edges = segmentsOf(text).flatMap(([start, end]) =>
      this.#forms.flatMap((form) => partsIn(text.slice(start, end), start, form)),
    );
    return replaceAll(text, [...whole, ...edges]);
  }

  /** A redacted copy of a JSON value. */
  value(value: unknown): unknown {
    const json = JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? String(inner) : inner,
    );
    return json === undefined ? undefined : this.#walk(JSON.parse(json));
  }

  fields(fields: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
    if (fields === undefined) return undefined;
    const plain = Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? String(value) : value,
    ]);
    return this.value(Object.fromEntries(plain)) as Record<string, unknown>;
  }

  /** Redacts the error itself, not a copy: its class decides whether it is retried. */
  error(error: unknown, depth = 0): unknown {
    if (!(error instanceof Error)) return typeof error === 'string' ? this.text(error) : error;
    const { message, stack = '' } = error;
    // The message may be truncated. In the stack its end is not the end of a text, so it is replaced as a whole.
    const clean = this.text(message);
    const redacted = {
      message: clean,
      stack: this.text(message === '' ? stack : stack.replace(message, () => clean)),
    };
    for (const [key, value] of Object.entries(redacted)) {
      Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: false });
    }
    if (error.cause !== undefined && depth < 5) error.cause = this.error(error.cause, depth + 1);
    return error;
  }

  #walk(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.#walk(item)]));
  }
}

/** The common encodings of a secret. PHP escapes slashes in JSON. Python and PHP escape characters other than ASCII. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const slashes = (text: string) => text.replaceAll('/', '\\/');
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const wellFormed = value.toWellFormed();
  const urls = [
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    ...[value, value.trim()].map((text) => new URLSearchParams({ v: text }).toString().slice(2)),
  ];
  const forms = [
    value,
    ...[json, ascii, slashes(json), slashes(ascii)],
    JSON.stringify(json).slice(1, -1),
    ...urls,
    ...urls.map(lower),
    value.trim(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  return [...new Set(forms)].filter((form) => form !== '');
}

/** The spans of whole secrets. Overlapping occurrences make one span. */
function wholeIn(text: string, { form, replacement }: Form): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    const before = spans.at(-1);
    const start = before && at < before.end ? (spans.pop() ?? before).start : at;
    spans.push({ start, end: at + form.length, replacement });
  }
  return spans;
}

/** The parts of a text between the marks of truncation, without U+FFFD of truncated characters at their ends. */
function segmentsOf(text: string): [start: number, end: number][] {
  const segments: [number, number][] = [];
  let start = 0;
  for (const segment of text.split(CUT)) {
    const end = start + segment.length;
    segments.push([start + brokenAt(segment, 0, 1), end - brokenAt(segment, segment.length - 1, -1)]);
    start = end + CUT.length;
  }
  return segments.filter(([from, to]) => to - from >= MIN_PART);
}

function brokenAt(segment: string, first: number, step: 1 | -1): number {
  let count = 0;
  while (count < BROKEN_CHARACTER && segment[first + count * step] === '\ufffd') count++;
  return count;
}

/** The spans of partial secrets: at the start, at the end, or the whole of a segment. */
function partsIn(segment: string, at: number, { form, replacement }: Form): Span[] {
  const spans: Span[] = [];
  const maxLength = Math.min(form.length, segment.length);
  const longest = (fits: (length: number) => boolean): number => {
    for (let length = maxLength; length >= MIN_PART; length--) if (fits(length)) return length;
    return 0;
  };
  const head = longest((length) => segment.startsWith(form.slice(-length)));
  const tail = longest((length) => segment.endsWith(form.slice(0, length)));
  if (head > 0) spans.push({ start: at, end: at + head, replacement });
  if (tail > 0) spans.push({ start: at + segment.length - tail, end: at + segment.length, replacement });
  if (segment.length >= MIN_INSIDE && form.includes(segment))
    spans.push({ start: at, end: at + segment.length, replacement });
  return spans;
}

const lengthOf = ({ start, end }: Span): number => end - start;

/** Overlapping spans are replaced together, by the replacement of the longest one. */
function replaceAll(text: string, spans: readonly Span[]): string {
  const groups: { start: number; end: number; longest: Span }[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = groups.at(-1);
    if (!last || span.start >= last.end) {
      groups.push({ start: span.start, end: span.end, longest: span });
      continue;
    }
    last.end = Math.max(last.end, span.end);
    if (lengthOf(span) > lengthOf(last.longest)) last.longest = span;
  }
  let clean = '';
  let done = 0;
  for (const { start, end, longest } of groups) {
    clean += text.slice(done, start) + longest.replacement;
    done = end;
  }
  return clean + text.slice(done);
}
