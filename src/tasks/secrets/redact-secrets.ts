// Takes the values of secrets out of what a run leaves behind: its result, its error, its log lines and checkpoints. Also
// as JSON, URLs and base64 write them, and what is left of one where a text was cut: at its ends, and beside the mark `…`
// (cut.ts), which stands where a part of a text was left out.
import { CUT } from './truncate.ts';

/** A shorter beginning or end of a secret tells nothing. */
const MIN_PART = 4;
/** A part without beginning and end is taken for one of the secret from this length on: a short one may be any word. */
const MIN_INSIDE = 16;
/** A character of up to four bytes that was cut in two is read as so many U+FFFD. */
const BROKEN_CHARACTER = 3;

interface Form {
  readonly form: string;
  readonly instead: string;
}

/** A part of a text, and what is to stand there. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

export class SecretRedactor {
  readonly #forms: readonly Form[];

  constructor(values: ReadonlyMap<string, string>) {
    this.#forms = [...values].flatMap(([name, value]) =>
      formsOf(value).map((form) => ({ form, instead: `[secret ${name}]` })),
    );
  }

  text(text: string): string {
    const whole = this.#forms.flatMap((form) => wholeIn(text, form));
    const edges = segmentsOf(text).flatMap(([start, end]) =>
      this.#forms.flatMap((form) => partsIn(text.slice(start, end), start, form)),
    );
    return replaceAll(text, [...whole, ...edges]);
  }

  /** A copy, as JSON would have it. */
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

  /** The same error, so that its class still says whether to try again. */
  error(error: unknown, depth = 0): unknown {
    if (!(error instanceof Error)) return typeof error === 'string' ? this.text(error) : error;
    const { message, stack = '' } = error;
    // the message may be cut, and in the stack its end is not the end of the text
    const clean = this.text(message);
    const told = {
      message: clean,
      stack: this.text(message === '' ? stack : stack.replace(message, () => clean)),
    };
    for (const [key, value] of Object.entries(told)) {
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

/** What programs commonly write for a secret. PHP escapes slashes in JSON, Python and PHP all that is not ASCII. */
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

/** Occurrences that overlap make one span. */
function wholeIn(text: string, { form, instead }: Form): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    const before = spans.at(-1);
    const start = before && at < before.end ? (spans.pop() ?? before).start : at;
    spans.push({ start, end: at + form.length, instead });
  }
  return spans;
}

/** From where to where the text is in one piece, without what a broken character has left at the ends. */
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

/** The end of a secret where a segment begins, its beginning where the segment ends, or all of the segment. */
function partsIn(segment: string, at: number, { form, instead }: Form): Span[] {
  const spans: Span[] = [];
  const most = Math.min(form.length, segment.length);
  const longest = (fits: (length: number) => boolean): number => {
    for (let length = most; length >= MIN_PART; length--) if (fits(length)) return length;
    return 0;
  };
  const head = longest((length) => segment.startsWith(form.slice(-length)));
  const tail = longest((length) => segment.endsWith(form.slice(0, length)));
  if (head > 0) spans.push({ start: at, end: at + head, instead });
  if (tail > 0) spans.push({ start: at + segment.length - tail, end: at + segment.length, instead });
  if (segment.length >= MIN_INSIDE && form.includes(segment))
    spans.push({ start: at, end: at + segment.length, instead });
  return spans;
}

const lengthOf = ({ start, end }: Span): number => end - start;

/** Of spans that overlap, the longest says what stands in the place of all of them. */
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
    clean += text.slice(done, start) + longest.instead;
    done = end;
  }
  return clean + text.slice(done);
}
