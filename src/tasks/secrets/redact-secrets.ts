// Redacts the values of secrets in the output of a run: its result, error, log lines and checkpoints. It also finds parts of
// secrets where a text was truncated: at its ends, and next to the marks `…` (truncate.ts), `...` and `***`.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { MIN_PART, SecretIndex, type Segment, type Span } from './secret-index.ts';
import { CUT, truncateEnd } from './truncate.ts';

/** A longer text is truncated. Nothing that is stored is as long, and the search must not hold the event loop. */
export const MAX_TEXT = 65_536;
/** Errors may contain themselves. */
const MAX_CAUSES = 5;
/** The part of a value that is too long for a redaction. */
const KEPT_START = 1_024;
const CUT_BYTES = Buffer.from(CUT);
/** What others mark a cut with. A secret may contain it, so the text is also searched without it. */
const MARKS_OF_OTHERS = ['...', '***'].map((mark) => Buffer.from(mark));
/** U+FFFD, which a truncated UTF-8 character is decoded to, and the maximum number of them. */
const BROKEN = Buffer.from('\ufffd');
const MAX_BROKEN = 3;

/** The redactors of the last runs: secrets that are long take a while to be prepared. */
const recent = new LRUCache<string, SecretRedactor>({ max: 16, ttl: 60_000 });

export function redactorOf(values: ReadonlyMap<string, string>): SecretRedactor {
  const key = createHash('sha256')
    .update(JSON.stringify([...values]))
    .digest('base64');
  const redactor = recent.get(key) ?? new SecretRedactor(values);
  recent.set(key, redactor);
  return redactor;
}

export class SecretRedactor {
  readonly #index: SecretIndex;
  /** Secrets that are too short to be found in other forms. */
  readonly #short: readonly [name: string, bytes: Buffer][];

  constructor(values: ReadonlyMap<string, string>) {
    this.#index = new SecretIndex(values);
    this.#short = [...values]
      .map(([name, value]): [string, Buffer] => [name, Buffer.from(value)])
      .filter(([, bytes]) => bytes.length > 0 && bytes.length < MIN_PART);
  }

  text(text: string): string {
    return this.#texts([truncateEnd(String(text), MAX_TEXT)])[0] ?? '';
  }

  /** A redacted copy of a JSON value. A value above `MAX_TEXT` is replaced by its start and length. */
  value(value: unknown): unknown {
    const json = JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? String(inner) : inner,
    );
    if (json === undefined) return undefined;
    if (json.length > MAX_TEXT) {
      const start = this.text(truncateEnd(json, KEPT_START));
      return { truncated: true, length: json.length, start };
    }
    const plain: unknown = JSON.parse(json);
    const texts: (string | number)[] = [];
    walk(plain, (text) => {
      texts.push(text);
      return String(text);
    });
    const clean = this.#texts(texts);
    let at = 0;
    return walk(plain, () => clean[at++] ?? '');
  }

  fields(fields: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
    if (fields === undefined) return undefined;
    const plain = Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? String(value) : value,
    ]);
    return this.value(Object.fromEntries(plain)) as Record<string, unknown>;
  }

  /** Redacts the error itself, not a copy: its class decides whether it is retried. Anything else that is thrown becomes a text. */
  error(error: unknown, depth = 0): unknown {
    if (!(error instanceof Error)) return this.text(textOf(error));
    const { message, stack, name } = error as { message?: unknown; stack?: unknown; name?: unknown };
    const [said, trace] = [textOf(message ?? ''), textOf(stack ?? '')];
    // The message may be truncated. In the stack its end is not the end of a text, so it is replaced as a whole.
    const clean = this.text(said);
    const hidden: Record<string, unknown> = {
      message: clean,
      stack: this.text(said === '' ? trace : trace.replaceAll(said, () => clean)),
    };
    const label = textOf(name);
    if (this.text(label) !== label) hidden.name = this.text(label);
    try {
      for (const [key, value] of Object.entries(error))
        if (!Object.hasOwn(hidden, key) && key !== 'cause') Reflect.set(error, key, this.#field(value));
      for (const [key, value] of Object.entries(hidden))
        Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: false });
      if (depth < MAX_CAUSES) {
        if (error.cause !== undefined) error.cause = this.error(error.cause, depth + 1);
        if (error instanceof AggregateError)
          error.errors = error.errors.map((inner: unknown) => this.error(inner, depth + 1));
      } else error.cause = undefined;
      return error;
    } catch {
      // it cannot be changed
      return new Error(clean);
    }
  }

  /** A property of an error, which a log may show. */
  #field(value: unknown): unknown {
    if (value === null || !/^(string|number|bigint|object)$/.test(typeof value)) return value;
    try {
      return value instanceof Error ? this.text(String(value)) : this.value(value);
    } catch {
      return '[not JSON]';
    }
  }

  /** Redacts texts together, so that many short ones cost no more than a long one. Numbers are redacted as a whole only. */
  #texts(texts: readonly (string | number)[]): string[] {
    const parts = texts.map((text) => Buffer.from(String(text)));
    const joined = Buffer.concat(parts.flatMap((part) => [part, CUT_BYTES]));
    const marks = MARKS_OF_OTHERS.filter((mark) => joined.includes(mark));
    const divisions = [[CUT_BYTES], ...marks.map((mark) => [CUT_BYTES, mark])].map((cuts) => {
      const segments: Segment[] = [];
      let start = 0;
      for (const [at, part] of parts.entries()) {
        if (typeof texts[at] === 'string') segments.push(...segmentsOf(part, start, cuts));
        start += part.length + CUT_BYTES.length;
      }
      return segments;
    });
    const spans = mergedSpans([...this.#index.find(joined, divisions), ...this.#shortIn(joined)]);
    let start = 0;
    let next = 0;
    return parts.map((part, at) => {
      const end = start + part.length;
      while (next < spans.length && (spans[next] as Span).end <= start) next++;
      let clean = '';
      let done = start;
      for (let i = next; i < spans.length && (spans[i] as Span).start < end; i++) {
        const span = spans[i] as Span;
        clean += `${joined.toString('utf8', done, Math.max(done, span.start))}[secret ${span.name}]`;
        done = Math.min(span.end, end);
      }
      const isClean = done === start;
      const rest = joined.toString('utf8', done, end);
      start = end + CUT_BYTES.length;
      return isClean ? String(texts[at]) : clean + rest;
    });
  }

  #shortIn(text: Buffer): Span[] {
    const spans: Span[] = [];
    for (const [name, bytes] of this.#short)
      for (let at = text.indexOf(bytes); at >= 0; at = text.indexOf(bytes, at + 1))
        spans.push({ start: at, end: at + bytes.length, name, isWhole: true });
    return spans;
  }
}

/** Never throws. Objects without a prototype have no text of their own. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** A copy of a JSON value whose texts, keys and numbers are replaced, in a fixed order. */
function walk(value: unknown, replace: (text: string | number) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value === 'number') {
    const clean = replace(value);
    return clean === String(value) ? value : clean;
  }
  if (Array.isArray(value)) return value.map((item) => walk(item, replace));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replace(key), walk(item, replace)]));
}

/** The parts of a text between the marks of truncation, without U+FFFD of truncated characters at their ends. */
function segmentsOf(text: Buffer, offset: number, marks: readonly Buffer[]): Segment[] {
  const segments: Segment[] = [];
  const places = marks.map((mark) => ({ mark, at: text.indexOf(mark) }));
  for (let start = 0; start <= text.length; ) {
    for (const place of places)
      if (place.at >= 0 && place.at < start) place.at = text.indexOf(place.mark, start);
    const [next] = places.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
    const end = next?.at ?? text.length;
    const [from, to] = withoutBroken(text, start, end);
    if (to - from >= MIN_PART) segments.push({ start: offset + from, end: offset + to });
    start = end + (next?.mark.length ?? 1);
    // a run of the same mark, such as `*****`
    while (next && next.mark !== CUT_BYTES && text[start] === next.mark[0]) start++;
  }
  return segments;
}

function withoutBroken(text: Buffer, start: number, end: number): [start: number, end: number] {
  const isBroken = (at: number) => text.compare(BROKEN, 0, BROKEN.length, at, at + BROKEN.length) === 0;
  let [from, to] = [start, end];
  for (let i = 0; i < MAX_BROKEN && from + 3 <= to && isBroken(from); i++) from += BROKEN.length;
  for (let i = 0; i < MAX_BROKEN && to - 3 >= from && isBroken(to - 3); i++) to -= BROKEN.length;
  return [from, to];
}

/** Overlapping spans are one, with the name of the longest. */
function mergedSpans(spans: Span[]): Span[] {
  const merged: Span[] = [];
  let longest = 0;
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    const length = span.end - span.start;
    if (!last || span.start >= last.end) {
      merged.push(span);
      longest = length;
      continue;
    }
    const isLonger = length > longest || (length === longest && span.isWhole && !last.isWhole);
    const { name, isWhole } = isLonger ? span : last;
    if (isLonger) longest = length;
    merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end), name, isWhole };
  }
  return merged;
}
