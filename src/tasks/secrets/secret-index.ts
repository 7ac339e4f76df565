// Finds secrets, and the parts of them where a text was cut, in the readings of a text. The search of whole secrets is linear: each
// has a window of eight bytes that occurs in it once, so no two comparisons overlap.
import { bytesOf, valuesOf } from './secret-values.ts';
import { layersOf, type View, viewsOf } from './text-views.ts';

/** From this length on, the case of letters does not matter. */
const MIN_WITHOUT_CASE = 8;
const WINDOW = 8;
/** The windows of a secret that are tried. */
const SAMPLES = 64;
/** A secret that repeats itself has no window of its own. It is found by its pieces, which overlap by half. */
const PIECE = 64;
/** Minimum length of the beginning or end of a secret that is found. A shorter part reveals too little. */
export const MIN_PART = 4;
/** Minimum length of a middle part of a secret that is found. A shorter part may be an ordinary word. */
const MIN_INSIDE = 16;
/** The bytes that are compared for the edges of a text. A secret that repeats itself has many places that fit. */
const MAX_COMPARED = 1_000_000;

/** A part of a text in bytes, and the secret that stands there. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly isWhole: boolean;
}

/** The edges of a text, in bytes of the text: where secrets may be cut. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** A segment of a view: its bytes `first` to `last`, and its edges in bytes of the text. */
interface Part extends Segment {
  readonly view: View;
  readonly first: number;
  readonly last: number;
}

/** The bytes that may still be compared. Nothing of the parts after them is shown. */
interface Budget {
  left: number;
}

interface Needle {
  readonly name: string;
  readonly bytes: Buffer;
  readonly folded: Buffer;
  readonly isExact: boolean;
}

interface Anchored extends Needle {
  /** The offset of its window. */
  readonly anchor: number;
}

/** Letters in lower case, and `+` as the space that it means in forms. */
const FOLD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 65 && byte <= 90 ? byte + 32 : byte === 43 ? 32 : byte,
);
/** What is left of an escape that was cut in two, before and after the cut. */
const CUT_ESCAPE = /^(?:\\+u?\{?[0-9a-f]{0,5}|%(?:25)*(?:u[0-9a-f]{0,3}|[0-9a-f]?)|&(?:amp;)*[#\w]{0,8})?$/i;
const REST_OF_ESCAPE = /^(?:u?\{?[0-9a-f]{0,5}\}?|(?:[#\w]{0,8};){1,2}|[\\/nrtbf]{1,3})$/i;
const MAX_REST = 12;
const PADDING = 61;
const MARKS: ReadonlySet<number> = new Set(Buffer.from('\\%&'));

const foldSpace = (byte: number): number => (byte === 43 ? 32 : byte);
const gramAt = (bytes: Uint8Array, at: number): number =>
  ((FOLD[bytes[at] as number] as number) << 24) |
  ((FOLD[bytes[at + 1] as number] as number) << 16) |
  ((FOLD[bytes[at + 2] as number] as number) << 8) |
  (FOLD[bytes[at + 3] as number] as number);
const hashOf = (high: number, low: number): number => {
  const mixed = Math.imul(high, 0x9e3779b1) ^ Math.imul(low, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
};

export class SecretIndex {
  readonly #needles: readonly Needle[];
  /** All needles in a row, folded, and where each begins. */
  readonly #all: Buffer;
  readonly #starts: readonly number[];
  readonly #byWindow = new Map<number, Anchored[]>();
  readonly #byGram = new Map<number, Needle[]>();
  readonly #windows = new Uint8Array(1 << 16);
  /** The last place in `#all` of four bytes, by their hash, plus one. `#before` has the place before it. */
  readonly #places: Int32Array;
  readonly #before: Int32Array;
  readonly #shift: number;

  constructor(secrets: ReadonlyMap<string, string>) {
    const needles: Needle[] = [];
    const starts: number[] = [];
    let length = 0;
    for (const [name, bytes] of formsOf(secrets)) {
      const needle = needleOf(name, bytes);
      if (needle.isExact) listed(this.#byGram, gramAt(needle.folded, 0)).push(needle);
      else this.#addWindows(needle);
      needles.push(needle);
      starts.push(length);
      length += bytes.length;
    }
    this.#needles = needles;
    this.#starts = starts;
    this.#all = Buffer.concat(needles.map(({ folded }) => folded));
    const bits = Math.min(22, Math.max(8, Math.ceil(Math.log2(length + 1)) + 1));
    this.#shift = 32 - bits;
    this.#places = new Int32Array(1 << bits);
    this.#before = new Int32Array(length);
    for (let at = 0; at + MIN_PART <= length; at++) {
      const slot = this.#slotOf(gramAt(this.#all, at));
      this.#before[at] = this.#places[slot] as number;
      this.#places[slot] = at + 1;
    }
  }

  /** The segments of one division of the text are in order and do not overlap. */
  find(text: Buffer, divisions: readonly (readonly Segment[])[]): Span[] {
    if (this.#needles.length === 0) return [];
    const budget = { left: MAX_COMPARED };
    return viewsOf(text).flatMap((view) => {
      const parts = divisions.flatMap((segments) => this.#partsIn(view, segments, budget));
      const spans = [...this.#wholeIn(view), ...parts];
      if (view.maxRest === undefined) return spans;
      return spans.map((span) => ({ ...span, end: afterPadding(text, span.end) }));
    });
  }

  #addWindows(needle: Needle): void {
    const { name, bytes, folded } = needle;
    const anchor = this.#anchorOf(folded);
    if (anchor === undefined && bytes.length > PIECE) {
      for (const piece of piecesOf(bytes)) this.#addWindow(needleOf(name, piece), 0);
    } else this.#addWindow(needle, anchor ?? 0);
  }

  #addWindow(needle: Needle, anchor: number): void {
    const hash = hashOf(gramAt(needle.folded, anchor), gramAt(needle.folded, anchor + 4));
    const isKnown = ({ folded }: Anchored) => folded.equals(needle.folded);
    if (this.#byWindow.get(hash)?.some(isKnown)) return;
    this.#windows[hash & 0xffff] = 1;
    listed(this.#byWindow, hash).push({ ...needle, anchor });
  }

  /** The offset of a window that occurs in the needle once, and in no other needle as far as there is one. Undefined if there is none. */
  #anchorOf(folded: Buffer): number | undefined {
    let best: { offset: number; shared: number } | undefined;
    const last = folded.length - WINDOW;
    for (let sample = SAMPLES; sample >= 0; sample--) {
      const offset = Math.floor((last * sample) / SAMPLES);
      const window = folded.subarray(offset, offset + WINDOW);
      if (folded.indexOf(window) !== offset || folded.indexOf(window, offset + 1) >= 0) continue;
      const shared = this.#byWindow.get(hashOf(gramAt(window, 0), gramAt(window, 4)))?.length ?? 0;
      if (shared < (best?.shared ?? Number.POSITIVE_INFINITY)) best = { offset, shared };
      if (shared === 0) break;
    }
    return best?.offset;
  }

  #slotOf(gram: number): number {
    return Math.imul(gram, 0x9e3779b1) >>> this.#shift;
  }

  #wholeIn(view: View): Span[] {
    const { bytes } = view;
    const spans: Span[] = [];
    const hasShort = this.#byGram.size > 0;
    let high = 0;
    let low = 0;
    for (let at = 0; at < bytes.length; at++) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | (FOLD[bytes[at] as number] as number);
      if (hasShort && at >= 3)
        for (const needle of this.#byGram.get(low) ?? []) addWhole(spans, view, needle, at - 3);
      if (at < WINDOW - 1) continue;
      const hash = hashOf(high, low);
      if (this.#windows[hash & 0xffff] === 0) continue;
      for (const needle of this.#byWindow.get(hash) ?? [])
        addWhole(spans, view, needle, at - (WINDOW - 1) - needle.anchor);
    }
    return spans;
  }

  /** The spans of partial secrets: at the start, at the end, or the whole of a segment. */
  #partsIn(view: View, segments: readonly Segment[], budget: Budget): Span[] {
    const spans: Span[] = [];
    const { bytes, from, to } = view;
    let at = 0;
    for (const { start, end } of segments) {
      while (at < bytes.length && (from[at] as number) < start) at++;
      const first = at;
      while (at < bytes.length && (to[at] as number) <= end) at++;
      if (at - first < MIN_PART) continue;
      const part = { view, first, last: at, start, end };
      const tail = this.#atStart(part, budget);
      if (tail) spans.push(tail);
      const head = this.#atEnd(part, budget);
      if (head) spans.push(head);
    }
    return spans;
  }

  /** The longest end of a secret that the part begins with, or the middle of one that it is. */
  #atStart(part: Part, budget: Budget): Span | undefined {
    const { bytes, to } = part.view;
    const { start, first, last } = part;
    let best: Span | undefined;
    for (let begin = first; begin + MIN_PART <= last && begin - first <= MAX_REST; begin++) {
      if (this.#places[this.#slotOf(gramAt(bytes, begin))] === 0 || !isRestBefore(part, begin)) continue;
      for (const { at, needle, end } of this.#placesOf(bytes, begin)) {
        let length = MIN_PART;
        while (
          at + length < end &&
          begin + length < last &&
          this.#all[at + length] === FOLD[bytes[begin + length] as number]
        )
          length++;
        budget.left -= length;
        if (budget.left < 0) return wholePart(part, needle);
        const isEnd = at + length === end;
        const isInside = length >= MIN_INSIDE && isRestAfter(part, begin + length);
        const spanEnd = isEnd ? (to[begin + length - 1] as number) : part.end;
        if ((isEnd || isInside) && spanEnd > (best?.end ?? 0) && this.#fits(bytes, begin, needle, at, length))
          best = { start, end: spanEnd, name: needle.name, isWhole: false };
      }
    }
    return best;
  }

  /** The longest beginning of a secret that the part ends with. */
  #atEnd(part: Part, budget: Budget): Span | undefined {
    const { bytes, from } = part.view;
    const { end, first, last } = part;
    let best: Span | undefined;
    for (let stop = last; stop - MIN_PART >= first && last - stop <= MAX_REST; stop--) {
      if (this.#places[this.#slotOf(gramAt(bytes, stop - MIN_PART))] === 0 || !isRestAfter(part, stop))
        continue;
      for (const { at, needle, start } of this.#placesOf(bytes, stop - MIN_PART)) {
        let length = MIN_PART;
        while (
          at + MIN_PART - length > start &&
          stop - length > first &&
          this.#all[at + MIN_PART - length - 1] === FOLD[bytes[stop - length - 1] as number]
        )
          length++;
        budget.left -= length;
        if (budget.left < 0) return wholePart(part, needle);
        const place = at + MIN_PART - length;
        const spanStart = from[stop - length] as number;
        if (
          place === start &&
          spanStart < (best?.start ?? end) &&
          this.#fits(bytes, stop - length, needle, place, length)
        )
          best = { start: spanStart, end, name: needle.name, isWhole: false };
      }
    }
    return best;
  }

  /** The places in needles where the four bytes stand. `start` and `end` are those of the needle. */
  *#placesOf(bytes: Uint8Array, from: number) {
    const gram = gramAt(bytes, from);
    for (
      let next = this.#places[this.#slotOf(gram)] as number;
      next > 0;
      next = this.#before[next - 1] as number
    ) {
      const at = next - 1;
      if (gramAt(this.#all, at) !== gram) continue;
      const index = this.#needleAt(at);
      const needle = this.#needles[index] as Needle;
      const start = this.#starts[index] as number;
      const end = start + needle.folded.length;
      if (at + MIN_PART <= end) yield { at, needle, start, end };
    }
  }

  #needleAt(at: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] as number) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Compares the case of a needle that is too short for a search without it. */
  #fits(bytes: Uint8Array, from: number, needle: Needle, at: number, length: number): boolean {
    if (!needle.isExact) return true;
    const offset = at - (this.#starts[this.#needleAt(at)] as number);
    for (let i = 0; i < length; i++)
      if (foldSpace(bytes[from + i] as number) !== foldSpace(needle.bytes[offset + i] as number))
        return false;
    return true;
  }
}

/** The bytes that are looked for, with the name of their secret. A value without its escapes is found in texts without escapes. */
function* formsOf(secrets: ReadonlyMap<string, string>): Generator<[name: string, bytes: Buffer]> {
  const seen = new Set<string>();
  for (const [name, secret] of secrets)
    for (const value of valuesOf(secret))
      for (const form of bytesOf(value))
        for (const { bytes: layer } of layersOf(form))
          for (const bytes of [layer, withoutMark(layer)]) {
            const id = Buffer.from(bytes).toString('latin1');
            if (bytes.length < MIN_PART || seen.has(id)) continue;
            seen.add(id);
            yield [name, Buffer.from(bytes)];
          }
}

const needleOf = (name: string, bytes: Buffer): Needle => ({
  name,
  bytes,
  folded: Buffer.from(bytes.map((byte) => FOLD[byte] as number)),
  isExact: bytes.length < MIN_WITHOUT_CASE,
});

function piecesOf(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE / 2) {
    const start = Math.min(at, bytes.length - PIECE);
    pieces.push(bytes.subarray(start, start + PIECE));
  }
  return pieces;
}

/** Without a mark at the end that what follows in a text may complete to an escape. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (MARKS.has(bytes[end - 1] ?? 0)) end--;
  return end < MIN_PART ? bytes : bytes.subarray(0, end);
}

function listed<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

const wholePart = ({ start, end }: Part, { name }: Needle): Span => ({ start, end, name, isWhole: false });

const latin1 = ({ bytes }: View, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

function isRestBefore({ view, first, start }: Part, at: number): boolean {
  if (at === first && (view.from[at] as number) === start) return true;
  if (view.maxRest !== undefined) return (view.from[at] as number) - start <= view.maxRest;
  return at - first <= MAX_REST && REST_OF_ESCAPE.test(latin1(view, first, at));
}

function isRestAfter({ view, last, end }: Part, at: number): boolean {
  if (view.maxRest !== undefined) return end - (view.to[at - 1] as number) <= view.maxRest;
  return last - at <= MAX_REST && CUT_ESCAPE.test(latin1(view, at, last));
}

function afterPadding(text: Buffer, at: number): number {
  let end = at;
  while (text[end] === PADDING && end < at + 2) end++;
  return end;
}

/** Adds the span of the needle if it stands at `at`. Overlapping occurrences make one span. */
function addWhole(spans: Span[], { bytes, from, to }: View, needle: Needle, at: number): void {
  const { folded, isExact, name } = needle;
  if (at < 0 || at + folded.length > bytes.length) return;
  for (let i = 0; i < folded.length; i++) {
    const byte = bytes[at + i] as number;
    if (FOLD[byte] !== folded[i]) return;
    if (isExact && foldSpace(byte) !== foldSpace(needle.bytes[i] as number)) return;
  }
  const [start, end] = [from[at] as number, to[at + folded.length - 1] as number];
  const last = spans.at(-1);
  if (last && last.name === name && start <= last.end && start >= last.start)
    spans[spans.length - 1] = { ...last, end: Math.max(end, last.end) };
  else spans.push({ start, end, name, isWhole: true });
}
