// What of a secret must not be seen: its value, the parts of it that are secrets by themselves, and their bytes in the encodings of
// characters that are in use.

/** Minimum length of a part that is looked for by itself. A shorter one may be an ordinary word. */
const MIN_PART = 4;
const MIN_TEXT_IN_JSON = 8;
const MIN_LINE = 16;
/** Minimum length of a piece of a URL, cookie, form or connection string, and of one that has letters of one case only. */
const MIN_PIECE = 8;
const MIN_PLAIN_PIECE = 12;
/** The longest pieces of a value are looked for. Real ones have few. */
const MAX_PIECES = 16;
/** Schemes have schemes: `Authorization: Basic …`. */
const MAX_DEPTH = 4;

/** The value, and the parts that a receiver may know by themselves. */
export function valuesOf(secret: string): string[] {
  const found = new Set<string>();
  collect(secret.trim() || secret, found, 0);
  return [...found];
}

function collect(value: string, found: Set<string>, depth: number): void {
  if (found.has(value)) return;
  found.add(value);
  if (depth === MAX_DEPTH) return;
  for (const part of partsOf(value)) collect(part, found, depth + 1);
}

function partsOf(value: string): string[] {
  const afterScheme = /^[\w-]+(?::\s*|\s+)(\S.*)$/s.exec(value)?.[1] ?? '';
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return [
    ...[afterScheme, passwordInUrl(value)].filter((part) => part.length >= MIN_PART),
    ...(lines.length > 1 ? lines.filter((line) => line.length >= MIN_LINE && !line.startsWith('-----')) : []),
    ...[decodedText(value)].filter((part) => part.length >= MIN_TEXT_IN_JSON),
    ...(textsInJson(value) ?? piecesOf(value)).filter((part) => part.length >= MIN_TEXT_IN_JSON),
    ...partsOfUrl(value),
    ...partsOfJwt(value),
  ].map((part) => part.trim() || part);
}

/** What base64 such as that of `Basic` stands for. Empty if the value is not the base64 of a text. */
function decodedText(value: string): string {
  if (!/^[\w+/-]+={0,2}$/.test(value)) return '';
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) && !/\p{Cc}/u.test(text) ? text : '';
}

const urlIn = (value: string): URL | undefined =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(value) ? new URL(value) : undefined;

/** Errors name the normalised URL of a request, without its query. */
function partsOfUrl(value: string): string[] {
  const url = urlIn(value);
  if (url === undefined) return [];
  const { href, protocol, host, hostname, pathname, search, searchParams, hash } = url;
  const named = longest(
    [...searchParams].filter(([name]) => NAME_OF_SECRET.test(name)).map(([, text]) => text),
  );
  const pieces = [...pathname.split('/'), ...searchParams.values(), hash.slice(1), ...hostname.split('.')];
  return [
    ...[href, `${protocol}//${host}${pathname}`, `${pathname}${search}`, pathname, ...named].filter(
      (part) => part.length >= MIN_PIECE,
    ),
    ...longest(pieces.filter(isTelling)),
  ];
}

const longest = (pieces: readonly string[]): string[] =>
  [...new Set(pieces)].sort((a, b) => b.length - a.length).slice(0, MAX_PIECES);

/** The values in a cookie, a form, a connection string or a header with parameters. Any text of 8 characters is one under a name of secrets. */
function piecesOf(value: string): string[] {
  const pieces: string[] = [];
  for (const chunk of value.split(/[;&,\s"']+/)) {
    const [, name, text] = /^([\w.[\]-]{1,64})[=:](.+)$/s.exec(chunk) ?? [undefined, undefined, chunk];
    if (text === undefined || text === value || /^[^=]*[=:]$/.test(text)) continue;
    const isNamed = name !== undefined && text.length >= MIN_PIECE && NAME_OF_SECRET.test(name);
    if (isNamed || isTelling(text)) pieces.push(text);
  }
  return longest(pieces);
}

/** The header, the payload and the signature of a JSON Web Token. */
const partsOfJwt = (value: string): string[] =>
  /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(value) ? value.split('.') : [];

const NAME_OF_SECRET = /pass|pwd|secret|token|key|sig|auth|session|sid|code/i;
const WORDS = /^\/?[A-Z]?[a-z]+(?:[-_./][A-Z]?[a-z]+)+$/;
const CAMEL_CASE = /^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})+$/;
const HOST = /^(?:(?:[a-z0-9-]+\.)+[a-z]{2,}|[a-z-]+(?=:)|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/;
const TIME = /^(?:\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d:\d\d)$/;
const TYPE_OR_VERSION =
  /^(?:(?:application|audio|font|image|message|multipart|text|video)\/[\w.+*-]+|[A-Za-z]+\/\d[\d.]*)$/;
const NAMES = /^(?:authorization|x-www-form-urlencoded)$/i;
const ORDINARY = [WORDS, CAMEL_CASE, HOST, TIME, TYPE_OR_VERSION, NAMES];

/** Whether a piece of a secret is a secret itself, not a word, name, host, time or media type of any text. */
function isTelling(piece: string): boolean {
  if (piece.length < MIN_PIECE || ORDINARY.some((pattern) => pattern.test(piece))) return false;
  return piece.length >= MIN_PLAIN_PIECE || /\d|[a-z].*[A-Z]|[A-Z]{2}.*[a-z]/s.test(piece);
}

function passwordInUrl(value: string): string {
  const password = urlIn(value)?.password ?? '';
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** Secrets Manager keeps several values as one JSON object. Undefined if the value is not a JSON object or array. */
function textsInJson(value: string): string[] | undefined {
  const texts: string[] = [];
  if (!/^[[{]/.test(value)) return undefined;
  try {
    JSON.parse(value, (_key, inner: unknown) => {
      if (typeof inner === 'string' || typeof inner === 'number') texts.push(String(inner));
      return inner;
    });
    return texts;
  } catch {
    return undefined; // not JSON
  }
}

/** The bytes of a value: in UTF-8 and UTF-16, and in Latin-1 without the bytes that are zero. */
export function bytesOf(value: string): Buffer[] {
  const isAscii = /^[\0-\x7f]*$/.test(value);
  const cases = isAscii ? [value] : [value, value.toUpperCase(), value.toLowerCase()];
  const forms = cases.flatMap((text) => {
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    const isLatin = /^[\0-\xff]*$/.test(text);
    // without the zero at an end, both orders are the same
    const wide = isLatin ? [little.subarray(0, -1)] : [little, big];
    // UTF-16 that a receiver has read as Latin-1 is UTF-8 again
    const shown = isAscii ? [] : wide.map((bytes) => Buffer.from(bytes.toString('latin1')));
    return [
      Buffer.from(text),
      ...wide,
      ...shown,
      ...(isLatin && !isAscii ? [Buffer.from(text, 'latin1')] : []),
    ];
  });
  return [...new Map(forms.map((form) => [form.toString('latin1'), form])).values()];
}
