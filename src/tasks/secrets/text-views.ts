// The readings of a text in which a secret may stand: as it is, without the escapes of JSON, URLs and HTML, and decoded from base64
// and hex. Every byte of a reading has the position of its origin in the text. The work is linear in the text.

/** A reading of a text. `from[i]` and `to[i]` are the start and end, in bytes of the text, of what byte `i` was decoded from. */
export interface View {
  readonly bytes: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Whether it was decoded from base64 or hex. */
  readonly isDecoded: boolean;
}

/** A byte that stands for what is not base64 or hex. UTF-8 has no such byte. */
const GAP = 0xff;
/** JSON in JSON, in a URL, in HTML. */
const MAX_LAYERS = 6;

export function viewsOf(text: Buffer): View[] {
  const layers = layersOf(text);
  // an escape that is none may have swallowed the beginning of base64
  const encoded = new Set([layers.at(0), layers.at(-1)].filter((view) => view !== undefined));
  return [...layers, ...[...encoded].flatMap((view) => decoded(withoutSpace(view)))];
}

/** The text as it is, then without its escapes, without the escapes that this leaves, and so on. */
export function layersOf(text: Buffer): View[] {
  const positions = new Int32Array(text.length + 1);
  for (let at = 0; at <= text.length; at++) positions[at] = at;
  const layers: View[] = [];
  let last: View = { bytes: text, from: positions, to: positions.subarray(1), isDecoded: false };
  layers.push(last);
  while (layers.length <= MAX_LAYERS && ESCAPES.some((mark) => last.bytes.includes(mark))) {
    const next = unescaped(last);
    if (next.bytes.length === last.bytes.length) break;
    layers.push(next);
    last = next;
  }
  return layers;
}

/** Collects the bytes of a view. */
class Builder {
  readonly #bytes: Uint8Array;
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  #length = 0;

  constructor(maxLength: number) {
    this.#bytes = new Uint8Array(maxLength);
    this.#from = new Int32Array(maxLength);
    this.#to = new Int32Array(maxLength);
  }

  /** Adds a byte that was decoded from the bytes `start` to `end` of another view. */
  add(byte: number, { from, to }: View, start: number, end: number): void {
    this.#bytes[this.#length] = byte;
    this.#from[this.#length] = from[start] as number;
    this.#to[this.#length] = to[end - 1] as number;
    this.#length++;
  }

  view(isDecoded: boolean): View {
    const cut = <T extends { subarray(start: number, end: number): T }>(array: T) =>
      array.subarray(0, this.#length);
    return { bytes: cut(this.#bytes), from: cut(this.#from), to: cut(this.#to), isDecoded };
  }
}

const HEX = Int16Array.from({ length: 256 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

const SEXTETS = new Int16Array(256).fill(-1);
for (const [at, character] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  SEXTETS[character.charCodeAt(0)] = at;
SEXTETS['-'.charCodeAt(0)] = 62;
SEXTETS['_'.charCodeAt(0)] = 63;

const code = (character: string): number => character.charCodeAt(0);
const BACKSLASH = code('\\');
const PERCENT = code('%');
const AMPERSAND = code('&');
const ESCAPES = [BACKSLASH, PERCENT, AMPERSAND];
const CONTROLS = new Map([...'nrtbfv'].map((letter, at) => [code(letter), code('\n\r\t\b\f\v'[at] ?? '')]));

/** One level of escapes is removed: those of JSON and of programming languages, of URLs and of HTML. */
function unescaped(view: View): View {
  const { bytes } = view;
  const built = new Builder(bytes.length);
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    const found =
      byte === BACKSLASH
        ? afterBackslash(bytes, at)
        : byte === PERCENT
          ? hexEscape(bytes, at + 1)
          : byte === AMPERSAND
            ? entity(bytes, at)
            : undefined;
    const end = found?.end ?? at + 1;
    const next = bytes[at + 1];
    // JSON in HTML: the backslash stands before an escape
    if (byte === BACKSLASH && (next === PERCENT || next === AMPERSAND)) {
      at++;
      continue;
    }
    if (found === undefined) built.add(byte, view, at, end);
    else if (found.codePoint === undefined) built.add(found.byte, view, at, end);
    else for (const part of utf8(found.codePoint)) built.add(part, view, at, end);
    at = end;
  }
  return built.view(false);
}

type Escape =
  | { readonly end: number; readonly codePoint: number }
  | { readonly end: number; readonly codePoint?: undefined; readonly byte: number };

const utf8 = (codePoint: number): Uint8Array =>
  codePoint < 0x80 ? Uint8Array.of(codePoint) : Buffer.from(String.fromCodePoint(codePoint));

/** The value of `count` digits. Undefined if there are fewer. */
function hexAt(bytes: Uint8Array, at: number, count: number): number | undefined {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = HEX[bytes[i] ?? 0] as number;
    if (digit < 0) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

function hexEscape(bytes: Uint8Array, digits: number): Escape | undefined {
  const byte = hexAt(bytes, digits, 2);
  return byte === undefined ? undefined : { end: digits + 2, byte };
}

function afterBackslash(bytes: Uint8Array, at: number): Escape | undefined {
  const letter = bytes[at + 1];
  if (letter === undefined) return undefined;
  const control = CONTROLS.get(letter);
  if (control !== undefined) return { end: at + 2, byte: control };
  if (letter === code('x')) return hexEscape(bytes, at + 2);
  if (letter !== code('u') && letter !== code('U')) return { end: at + 2, byte: letter };
  const unit = hexAt(bytes, at + 2, 4);
  if (unit === undefined) return undefined;
  const isPair = unit >= 0xd800 && unit < 0xdc00 && bytes[at + 6] === BACKSLASH;
  const low = isPair ? hexAt(bytes, at + 8, 4) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) return { end: at + 6, codePoint: unit };
  return { end: at + 12, codePoint: 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00) };
}

const ASCII_NAMES =
  'Tab:9 NewLine:10 excl:33 quot:34 QUOT:34 num:35 dollar:36 percnt:37 amp:38 AMP:38 apos:39 lpar:40 rpar:41 ast:42 plus:43 comma:44 ' +
  'period:46 sol:47 colon:58 semi:59 lt:60 LT:60 equals:61 gt:62 GT:62 quest:63 commat:64 lsqb:91 lbrack:91 bsol:92 rsqb:93 ' +
  'rbrack:93 Hat:94 lowbar:95 grave:96 lcub:123 lbrace:123 verbar:124 vert:124 rcub:125 rbrace:125';
/** From U+00A0 on. */
const LATIN_NAMES =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil ' +
  'sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave ' +
  'Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave ' +
  'aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc ' +
  'otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const ENTITIES = new Map<string, number>([
  ...ASCII_NAMES.split(' ').map((pair): [string, number] => [
    pair.split(':')[0] ?? '',
    Number(pair.split(':')[1]),
  ]),
  ...LATIN_NAMES.split(' ').map((name, at): [string, number] => [name, 0xa0 + at]),
]);
const MAX_ENTITY = 12;

function entity(bytes: Uint8Array, at: number): Escape | undefined {
  let end = at + 1;
  while (bytes[end] !== code(';')) if (++end > at + MAX_ENTITY || end >= bytes.length) return undefined;
  const name = String.fromCharCode(...bytes.subarray(at + 1, end));
  const [, hex, decimal] = /^#(?:[xX]([0-9a-fA-F]+)|([0-9]+))$/.exec(name) ?? [];
  const codePoint =
    hex !== undefined
      ? Number.parseInt(hex, 16)
      : decimal !== undefined
        ? Number(decimal)
        : ENTITIES.get(name);
  return codePoint === undefined || codePoint > 0x10ffff ? undefined : { end: end + 1, codePoint };
}

/** Without line breaks and spaces, which divide long base64 and hex. */
function withoutSpace(view: View): View {
  const { bytes } = view;
  let spaces = 0;
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] as number) <= 32) spaces++;
  if (spaces === 0) return view;
  const built = new Builder(bytes.length - spaces);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte > 32) built.add(byte, view, at, at + 1);
  }
  return built.view(false);
}

/** The text as base64 and as hex, in every phase: an encoded secret may begin at any character. */
function decoded(view: View): View[] {
  const base64 = [0, 1, 2, 3].map((phase) => blocks(view, SEXTETS, phase, 4));
  const hex = [0, 1].map((phase) => blocks(view, HEX, phase, 2));
  return [...base64, ...hex];
}

/** Blocks of four base64 characters, or of two hex digits. Incomplete blocks give the bytes that they have. */
function blocks(view: View, values: Int16Array, phase: number, size: 2 | 4): View {
  const { bytes } = view;
  const built = new Builder(bytes.length);
  let wasGap = true;
  for (let block = phase === 0 ? 0 : phase - size; block < bytes.length; block += size) {
    for (let i = 0; i < size - 1; i++) {
      const at = block + i;
      const [first, second] = [values[bytes[at] ?? 0] as number, values[bytes[at + 1] ?? 0] as number];
      if (at < 0 || first < 0 || second < 0) {
        if (!wasGap && at >= 0 && at < bytes.length) built.add(GAP, view, at, at + 1);
        wasGap = true;
        continue;
      }
      const byte = size === 4 ? (first << (2 + 2 * i)) | (second >> (4 - 2 * i)) : (first << 4) | second;
      built.add(byte & 0xff, view, at, at + 2);
      wasGap = false;
    }
  }
  return built.view(true);
}
