// A receiver may echo a secret in any of the usual encodings, as a whole or without its scheme. Nothing of it may remain.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TEXT, SecretRedactor } from '../../src/tasks/secrets/redact-secrets.ts';

type Write = (text: string) => string;
const u = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const lowerHex: Write = (text) => text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
const html: Write = (text) =>
  text.replace(
    /[&<>"']/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? '',
  );
const url: Write = (text) => encodeURIComponent(text);
const form: Write = (text) => new URLSearchParams({ v: text }).toString().slice(2);
const json: Write = (text) => JSON.stringify(text).slice(1, -1);
const at =
  (prefix: string): Write =>
  (text) =>
    Buffer.from(prefix + text).toString('base64');
const big = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

const TEXTS: Record<string, Write> = {
  'as it is': (text) => text,
  HTML: html,
  'HTML in HTML': (text) => html(html(text)),
  'HTML by decimal numbers': (text) =>
    [...text].map((character) => `&#${character.codePointAt(0)};`).join(''),
  'HTML by hex numbers': (text) =>
    [...text].map((character) => `&#x${character.codePointAt(0)?.toString(16)};`).join(''),
  URL: url,
  'URL twice': (text) => url(url(text)),
  'URL in lower case': (text) => lowerHex(url(text)),
  'every byte of a URL': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  form,
  'form in lower case': (text) => lowerHex(form(text)),
  JSON: json,
  'JSON in JSON': (text) => json(json(text)),
  'JSON with every character escaped': (text) => text.replace(/[\s\S]/g, u),
  'JSON with slashes escaped': (text) => json(text).replaceAll('/', '\\/'),
  'JSON in HTML in a URL': (text) => url(html(json(text))),
  '\\x': (text) => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  'HTML by numbers without semicolons': (text) =>
    [...text].map((character) => `&#${character.codePointAt(0)}`).join(''),
  'escape of JavaScript': (text) => text.replace(/[\s\S]/g, (character) => u(character).replace('\\', '%')),
  '\\u{}': (text) => [...text].map((character) => `\\u{${character.codePointAt(0)?.toString(16)}}`).join(''),
  'UTF-16 shown as text': (text) => Buffer.from(text, 'utf16le').toString('latin1'),
  'UTF-16 in the other order shown as text': (text) => big(text).toString('latin1'),
  'UTF-16 shown as text in JSON': (text) => json(Buffer.from(text, 'utf16le').toString('latin1')),
};
const BYTES: Record<string, Write> = {
  base64: at(''),
  'base64 at offset 1': at('x'),
  'base64 at offset 2': at('x:'),
  'base64url without padding': (text) => Buffer.from(`ab${text}`).toString('base64url'),
  'base64 in lines': (text) => at('{"')(text).replace(/.{20}/g, '$&\n'),
  'base64 in lines in JSON': (text) => json(at('')(text).replace(/.{20}/g, '$&\r\n')),
  'base64 in a URL': (text) => url(at('a')(text)),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'base64 of UTF-16 at offset 1': (text) => Buffer.from(`x${text}`, 'utf16le').toString('base64'),
  'base64 of UTF-16 in the other order': (text) => big(text).toString('base64'),
  'base64 of base64': (text) => at('')(at('')(text)),
  'base64 of base64 at offsets': (text) => at('x')(at('xy')(text)),
  'a list of bytes': (text) => JSON.stringify([...Buffer.from(text)]),
  'a list of bytes with spaces': (text) => [...Buffer.from(text)].join(', '),
  'hex with colons': (text) =>
    Buffer.from(text)
      .toString('hex')
      .replace(/..(?=.)/g, '$&:'),
  'hex with prefixes': (text) =>
    [...Buffer.from(text)].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(', '),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hex after one digit': (text) => `a${Buffer.from(text).toString('hex')}`,
  'hex of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('hex'),
};
const WRITTEN = { ...TEXTS, ...BYTES };
const CASES: Record<string, Write> = {
  '': (text) => text,
  ' in upper case': (text) => text.toUpperCase(),
  ' in lower case': (text) => text.toLowerCase(),
};

const redact = (secret: string, text: string): string =>
  new SecretRedactor(new Map([['s', secret]])).text(text);

/** Eight characters of the form, or fewer if it is shorter, that are still there. */
function leftOf(form: string, clean: string, around: string): string[] {
  const length = Math.min(8, form.length);
  const parts = Array.from({ length: form.length - length + 1 }, (_, i) => form.slice(i, i + length));
  return parts.filter((part) => clean.includes(part) && !around.includes(part));
}

const SECRET = `tok_9f8E7d6C5b4a/+39"28<1706>&'ö x`;

describe.each(Object.entries(WRITTEN))('written as %s', (_, write) => {
  it.each(Object.entries(CASES))('a secret%s leaves nothing', (_case, change) => {
    const form = write(change(SECRET));
    const clean = redact(SECRET, `you said ${form}, and no`);
    expect(leftOf(form, clean, '')).toEqual([]);
    expect(clean).toMatch(/^you said .{0,4}\[secret s\].{0,6}, and no$/);
  });

  it.each([
    ['the token of Bearer', `Bearer ${SECRET}`, SECRET],
    ['the token of a header', `Authorization: Bearer ${SECRET}`, SECRET],
    ['the pair of Basic', `Basic ${Buffer.from(`alice:${SECRET}`).toString('base64')}`, `alice:${SECRET}`],
    ['the password of Basic', `Basic ${Buffer.from(`alice:${SECRET}`).toString('base64')}`, SECRET],
    [
      'the base64 of Basic',
      `Basic ${Buffer.from(`alice:${SECRET}`).toString('base64')}`,
      Buffer.from(`alice:${SECRET}`).toString('base64'),
    ],
    ['the password of a pair', `alice:${SECRET}`, SECRET],
    ['the password of a URL', `postgres://alice:${encodeURIComponent(SECRET)}@db/x`, SECRET],
    ['a value of a JSON object', JSON.stringify({ user: 'alice', password: SECRET }), SECRET],
  ])('%s leaves nothing', (_what, secret, part) => {
    const form = write(part);
    expect(leftOf(form, redact(secret, `you said ${form}, and no`), '')).toEqual([]);
  });
});

describe('the parts of a secret', () => {
  const jwt = [
    { alg: 'HS256', typ: 'JWT' },
    { sub: 'user-4711-abc', exp: 1 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('SflKxwRJSMeKKF2QT4fwpMeJf36POk6y');
  it.each([
    ['a cookie', 'theme=dark; session=abcdefgh; id=Zz9Yy8Xx7; Path=/; HttpOnly', ['abcdefgh', 'Zz9Yy8Xx7']],
    ['a connection string', 'Server=db.example.com:5432;User Id=app;Password=hunterpass;', ['hunterpass']],
    [
      'a form',
      'grant_type=client_credentials&client_secret=s3cr3tVALUE%2F1',
      ['s3cr3tVALUE%2F1', 's3cr3tVALUE/1'],
    ],
    ['parameters', 'Digest username="alice", nonce="dcd98b7102dd", uri="/x"', ['dcd98b7102dd']],
    ['a JSON Web Token', `Bearer ${jwt.join('.')}`, [...jwt.slice(1), 'user-4711-abc']],
    ['numbers of JSON', '{"pin":4711081599,"port":5432}', ['4711081599']],
  ])('of %s are found', (_what, secret, parts) => {
    for (const part of parts) expect(redact(secret, `it is ${part}, no`)).toBe('it is [secret s], no');
  });

  it('that stand in any text are left', () => {
    const words =
      'application/json no-cache Content-Type HttpOnly Server db.example.com:5432 clientSecret grant_type 2026-01-01';
    const secret = `${words.replaceAll(' ', '; ')}; key=Zz9Yy8Xx7`;
    expect(redact(secret, `in ${words} it was`)).toBe(`in ${words} it was`);
    expect(redact('{"clientSecret":"Zz9Yy8Xx7","password":"Aa1Bb2Cc3"}', 'clientSecret and password')).toBe(
      'clientSecret and password',
    );
  });

  it('before and after the cut marks of others are found', () => {
    for (const mark of ['...', '***', '*******', '…'])
      expect(redact(SECRET, `key ${SECRET.slice(0, 9)}${mark}${SECRET.slice(-9)} is wrong`)).toBe(
        `key [secret s]${mark}[secret s] is wrong`,
      );
    expect(redact('Ab1...Cd2***Ef3', 'it ends with Ab1...Cd2*')).toBe('it ends with [secret s]');
  });

  it('at the cut of a list of bytes are found', () => {
    const list = [...Buffer.from('tok_9f8E7d6C5b4a3f')].join(', ');
    for (let cut = 24; cut < list.length; cut++) {
      expect(redact('tok_9f8E7d6C5b4a3f', `we have got ${list.slice(0, cut)}`)).toMatch(
        /^we ha.*\[secret s\][, ]*$/,
      );
      expect(redact('tok_9f8E7d6C5b4a3f', `${list.slice(-cut)} it was it`)).toMatch(
        /^[, ]*\[secret s\].*was it$/,
      );
    }
  });

  it('as a list of bytes in a result are found', () => {
    const result = { type: 'Buffer', data: [...Buffer.from('tok_9f8E7d6C')] };
    const clean = new SecretRedactor(new Map([['s', 'tok_9f8E7d6C']])).value({ result, n: 116 });
    expect(clean).toEqual({ result: { type: 'Buffer', data: result.data.map(() => '[secret s]') }, n: 116 });
  });
});

describe('a secret that is a URL', () => {
  it.each([
    'http://h/services/T000/B000/WEBHOOKsecretXYZ?wait=true',
    'http://h/bot123456:TELEGRAMtoken99/sendMessage?chat_id=5',
    'https://h/services/T000/WEBHOOKsecretXYZ#f',
    'https://h/a/../services/T000/WEBHOOKsecretXYZ',
    'https://127.1/services/T000/WEBHOOKsecretXYZ',
    'https://h:443/services/T000/WEBHOOKsecretXYZ',
    'HTTPS://H/services/T000/WEBHOOK%73ecretXYZ',
    'https://h/lower/webhooksecret?x=1',
  ])('%s is found normalised, without its query, and by its path', (secret) => {
    const { href, origin, pathname, search } = new URL(secret);
    for (const form of [secret, href, `${origin}${pathname}`, `${pathname}${search}`, pathname])
      expect(redact(secret, `GET ${form} returned 500`)).toMatch(/^GET \S*\[secret s\]\S* returned 500$/);
    expect(redact(secret, `GET ${origin}${pathname} returned 500`)).toBe('GET [secret s] returned 500');
  });

  it('is found by its long segments and the values of its query', () => {
    const secret =
      'https://a1b2c3d4e5.hooks.example.com/services/T0/WEBHOOKsecretXYZ?token=abcdefgh&v=Zz9Yy8Xx&n=1';
    for (const part of ['a1b2c3d4e5', 'WEBHOOKsecretXYZ', 'abcdefgh', 'Zz9Yy8Xx'])
      expect(redact(secret, `it is ${part}, no`)).toBe('it is [secret s], no');
    const words =
      'the services of hooks.example.com and sendMessage at 127.0.0.1 in 2026-01-01 are production';
    expect(redact('https://hooks.example.com/services/sendMessage/2026-01-01?for=production', words)).toBe(
      words,
    );
  });
});

describe('redaction', () => {
  it('of any secret in any form and between any texts leaves nothing', () => {
    const secret = fc
      .tuple(fc.string({ unit: 'binary', maxLength: 30 }), fc.stringMatching(/^[\w/+"<&%\\-]{8,20}$/))
      .map(([more, core]) => `${core}${more}${core}`.toWellFormed());
    const around = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('…', '{"a":"', '?v=', '<b title="', 'Bearer ', 'data:;base64,', '\n'),
    );
    const how = fc.constantFrom(...Object.entries(WRITTEN));
    const scheme = fc.constantFrom('', 'Bearer ', 'X-Key: ');
    fc.assert(
      fc.property(secret, scheme, how, around, around, (value, before, [, write], left, right) => {
        const form = write(value.trim());
        // what stands before must not take the first character of the secret for its own escape
        const text = `${left.replace(/[\\%&\w/+-]+$/, '')} ${form} ${right}`;
        expect(leftOf(form, redact(before + value, text), left + right)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('replaces the forms of a secret of four to seven characters with its case, and a shorter one as it is', () => {
    expect(redact('aB3d', 'aB3d ab3d YUIzZA== 61423364 x%61B3d')).toBe(
      '[secret s] ab3d [secret s] [secret s] x[secret s]',
    );
    expect(redact('aB3', 'aB3 ab3 YUIz')).toBe('[secret s] ab3 YUIz');
  });

  it('leaves texts without a secret as they are', () => {
    const text = 'a text with "quotes", 100 % of &amp; and \\u0041, deadbeef, QUJDREVGRw== and an emoji 🎉';
    expect(redact(SECRET, text)).toBe(text);
  });

  it('replaces numbers, keys and values of JSON, and leaves the other ones', () => {
    const redactor = new SecretRedactor(new Map([['pin', '12345678']]));
    expect(
      redactor.value({ pin: 12345678, more: [1234, 1.5, true, null], '12345678': { a: 'x 12345678' } }),
    ).toEqual({
      pin: '[secret pin]',
      more: [1234, 1.5, true, null],
      '[secret pin]': { a: 'x [secret pin]' },
    });
  });

  it('leaves nothing of an error: its name, its properties, its causes, or what is thrown instead of an error', () => {
    const inner = Object.assign(new Error(`inner ${SECRET}`), { code: SECRET });
    const error = Object.assign(new AggregateError([inner], `outer ${SECRET}`, { cause: inner }), {
      name: SECRET,
      config: { headers: { authorization: `Bearer ${SECRET}` } },
    });
    const redactor = new SecretRedactor(new Map([['s', SECRET]]));
    expect(redactor.error(error)).toBe(error);
    const all = [error, inner].flatMap(({ name, message, stack }) => [name, message, stack]);
    expect(JSON.stringify([...all, error, inner, error.errors])).not.toContain('tok_9f');
    for (const thrown of [SECRET, [SECRET], { toString: () => SECRET }, { message: SECRET }])
      expect(String(redactor.error(thrown))).not.toContain('tok_9f');
    const frozen = Object.freeze(new Error(SECRET));
    expect(redactor.error(frozen)).toMatchObject({ message: '[secret s]' });
  });

  it('finds a secret that is cut between two lines, and one that repeats itself', () => {
    const redactor = new SecretRedactor(new Map([['s', SECRET]]));
    for (let cut = 4; cut <= SECRET.length - 4; cut++) {
      expect(redactor.text(`a ${SECRET.slice(0, cut)}`)).toBe('a [secret s]');
      expect(redactor.text(`${SECRET.slice(cut)} b`)).toBe('[secret s] b');
    }
    const long = 'xy'.repeat(1000);
    expect(redact(long, `a ${long} b`)).toBe('a [secret s] b');
  });

  it('truncates a text that is longer than anything that is kept', () => {
    const text = `${'y'.repeat(MAX_TEXT - 10)}${SECRET}`;
    const clean = redact(SECRET, text);
    expect(clean.slice(-25)).toBe(`${'y'.repeat(14)}[secret s]…`);
    expect(new SecretRedactor(new Map([['s', SECRET]])).value({ a: text, b: SECRET })).toEqual({
      truncated: true,
      length: expect.any(Number),
      start: expect.stringMatching(/^\{"a":"y+…$/),
    });
  });
});
