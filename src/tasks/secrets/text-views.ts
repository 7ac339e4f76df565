// The readings of a text in which a secret may stand: as it is, without the escapes of JSON, URLs and HTML, and decoded from base64,
// base64 of it, hex and lists of bytes. Every byte of a reading has the position of its origin in the text. The work is linear in the text.

/** A reading of a text. `from[i]` and `to[i]` are the start and end, in bytes of the text, of what byte `i` was decoded from. */
export interface View {
  readonly bytes: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The maximum length of what a cut leaves of a block of base64 or hex, or of a byte in a list. Undefined if it is not decoded. */
  readonly maxRest?: number;
}

const REST_OF_BLOCK = 3;
const REST_OF_TWO_BLOCKS = 7;
const REST_IN_LIST = 6;
/** A byte that stands for what is not base64 or hex. UTF-8 has no such byte. */
const GAP = 0xff;
/** JSON in JSON, in a URL, in HTML. */
const MAX_LAYERS = 6;

export function viewsOf(text: Buffer): View[] {
  const layers = layersOf(text);
  // a backslash of the secret itself stands before what HTML has made of its `&`
  const html = text.includes(BACKSLASH) && text.includes(AMPERSAND) ? layersOf(text, HTML).slice(1) : [];
  // an escape that is none may have swallowed the beginning of base64
  const encoded = new Set([layers.at(0), layers.at(-1)].filter((view) => view !== undefined));
  return [
    ...layers,
    ...html,
    ...[...encoded].flatMap((view) => [...decoded(withoutSpace(view)), ...lists(view)]),
  ];
}

/** The text as it is, then without its escapes, without the escapes that this leaves, and so on. */
export function layersOf(text: Buffer, escapes: readonly number[] = ESCAPES): View[] {
  const positions = new Int32Array(text.length + 1);
  for (let at = 0; at <= text.length; at++) positions[at] = at;
  const layers: View[] = [];
  let last: View = { bytes: text, from: positions, to: positions.subarray(1) };
  layers.push(last);
  while (layers.length <= MAX_LAYERS && escapes.some((mark) => last.bytes.includes(mark))) {
    const next = unescaped(last, escapes);
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

  view(maxRest?: number): View {
    const cut = <T extends { subarray(start: number, end: number): T }>(array: T) =>
      array.subarray(0, this.#length);
    return { bytes: cut(this.#bytes), from: cut(this.#from), to: cut(this.#to), maxRest };
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
const HTML = [AMPERSAND];
const CONTROLS = new Map([...'nrtbfv'].map((letter, at) => [code(letter), code('\n\r\t\b\f\v'[at] ?? '')]));

/** One level of escapes is removed: those of JSON and of programming languages, of URLs and of HTML. */
function unescaped(view: View, escapes: readonly number[]): View {
  const { bytes } = view;
  const built = new Builder(bytes.length);
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    const found = !escapes.includes(byte)
      ? undefined
      : byte === BACKSLASH
        ? afterBackslash(bytes, at)
        : byte === PERCENT
          ? afterPercent(bytes, at)
          : byte === AMPERSAND
            ? entity(bytes, at)
            : undefined;
    const end = found?.end ?? at + 1;
    const next = bytes[at + 1];
    // JSON in HTML: the backslash stands before an escape
    if (byte === BACKSLASH && escapes === ESCAPES && (next === PERCENT || next === AMPERSAND)) {
      at++;
      continue;
    }
    if (found === undefined) built.add(byte, view, at, end);
    else if (found.codePoint === undefined) built.add(found.byte, view, at, end);
    else for (const part of utf8(found.codePoint)) built.add(part, view, at, end);
    at = end;
  }
  return built.view();
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

/** `%74`, or `%u0074` of JavaScript's `escape`. */
function afterPercent(bytes: Uint8Array, at: number): Escape | undefined {
  if (bytes[at + 1] !== code('u') && bytes[at + 1] !== code('U')) return hexEscape(bytes, at + 1);
  return utf16(bytes, at);
}

function afterBackslash(bytes: Uint8Array, at: number): Escape | undefined {
  const letter = bytes[at + 1];
  if (letter === undefined) return undefined;
  const control = CONTROLS.get(letter);
  if (control !== undefined) return { end: at + 2, byte: control };
  if (letter === code('x')) return hexEscape(bytes, at + 2);
  if (letter !== code('u') && letter !== code('U')) return { end: at + 2, byte: letter };
  if (bytes[at + 2] === code('{')) return braced(bytes, at + 3);
  return utf16(bytes, at);
}

/** `\u0074` or `%u0074`, or a pair of them. */
function utf16(bytes: Uint8Array, at: number): Escape | undefined {
  const unit = hexAt(bytes, at + 2, 4);
  if (unit === undefined) return undefined;
  const isPair = unit >= 0xd800 && unit < 0xdc00 && bytes[at + 6] === bytes[at];
  const low = isPair ? hexAt(bytes, at + 8, 4) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) return { end: at + 6, codePoint: unit };
  return { end: at + 12, codePoint: 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00) };
}

/** The rest of `\\u{74}`. */
function braced(bytes: Uint8Array, digits: number): Escape | undefined {
  let end = digits;
  while (end < digits + 6 && (HEX[bytes[end] ?? 0] as number) >= 0) end++;
  const codePoint = bytes[end] === code('}') && end > digits ? hexAt(bytes, digits, end - digits) : undefined;
  return codePoint === undefined || codePoint > 0x10ffff ? undefined : { end: end + 1, codePoint };
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
  if (bytes[at + 1] === code('#')) return numeric(bytes, at + 2);
  let end = at + 1;
  while (bytes[end] !== code(';')) if (++end > at + MAX_ENTITY || end >= bytes.length) return undefined;
  const name = String.fromCharCode(...bytes.subarray(at + 1, end));
  const codePoint = ENTITIES.get(name);
  return codePoint === undefined ? undefined : { end: end + 1, codePoint };
}

/** `&#116;` and `&#x74;`. Browsers also read them without the semicolon. */
function numeric(bytes: Uint8Array, at: number): Escape | undefined {
  const isHex = bytes[at] === code('x') || bytes[at] === code('X');
  const base = isHex ? 16 : 10;
  const first = isHex ? at + 1 : at;
  let codePoint = 0;
  let end = first;
  for (; end < first + MAX_ENTITY; end++) {
    const digit = HEX[bytes[end] ?? 0] as number;
    if (digit < 0 || digit >= base) break;
    codePoint = codePoint * base + digit;
  }
  if (end === first || codePoint > 0x10ffff) return undefined;
  return { end: bytes[end] === code(';') ? end + 1 : end, codePoint };
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
  return built.view();
}

/** The text as base64 and as hex, in every phase: an encoded secret may begin at any character. */
function decoded(view: View): View[] {
  const base64 = [0, 1, 2, 3].map((phase) => blocks(view, SEXTETS, phase, 4));
  const twice = base64.flatMap((once) => [0, 1, 2, 3].map((phase) => blocks(once, SEXTETS, phase, 4)));
  const hex = [0, 1].map((phase) => blocks(view, HEX, phase, 2));
  return [...base64, ...twice, ...hex];
}

/** Lists of bytes: decimal such as `[116,111]`, and hex such as `74:6f` and `0x74, 0x6f`. */
const lists = (view: View): View[] => [10, 16].map((base) => list(view, base));

const isWord = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122);

/** Every number that is a byte. What else stands between them, but for separators, is a gap. */
function list(view: View, base: number): View {
  const { bytes } = view;
  const built = new Builder(bytes.length);
  let at = 0;
  while (at < bytes.length) {
    if (!isWord(bytes[at] as number)) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < bytes.length && isWord(bytes[end] as number)) end++;
    built.add(byteIn(bytes, at, end, base) ?? GAP, view, at, end);
    at = end;
  }
  return built.view(REST_IN_LIST);
}

/** The byte that a word stands for. Undefined if it is none. */
function byteIn(bytes: Uint8Array, start: number, end: number, base: number): number | undefined {
  const isPrefixed = base === 16 && end - start > 2 && bytes[start] === 48 && bytes[start + 1] === code('x');
  const first = isPrefixed ? start + 2 : start;
  if (end - first > (base === 16 ? 2 : 3)) return undefined;
  let value = 0;
  for (let at = first; at < end; at++) {
    const digit = HEX[bytes[at] as number] as number;
    if (digit < 0 || digit >= base) return undefined;
    value = value * base + digit;
  }
  return value > 255 ? undefined : value;
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
  return built.view(view.maxRest === undefined ? REST_OF_BLOCK : REST_OF_TWO_BLOCKS);
}
