// What is kept of an output is cut somewhere, perhaps in the middle of a secret: its beginning or its end stays behind.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptTask } from '../../src/tasks/script/script.ts';
import type { ScriptEnd } from '../../src/tasks/script/script-runner.ts';
import { SecretRedactor } from '../../src/tasks/secrets/redact-secrets.ts';
import { withSecrets } from '../../src/tasks/secrets/secrets.ts';
import type { Task } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';
import { testServices } from '../support/task-services.ts';

const SECRET = 's3cr3t/Wört & "quoted"';
const redactor = new SecretRedactor(new Map([['token', SECRET]]));

/** The characters of an encoding that four characters of the secret have at most. */
const FOUR: Record<string, number> = { 'as it is': 4, JSON: 8, base64: 8, base64url: 8, hex: 10 };
const MOST = 12;

const WRITTEN: Record<string, (secret: string) => string> = {
  'as it is': (secret) => secret,
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON of PHP': (secret) =>
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/').replace('ö', '\\u00f6'),
  'JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
  'in a URL': encodeURIComponent,
  'in a URL in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'in a form': (secret) => new URLSearchParams({ v: secret }).toString().slice(2),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
};

describe('redaction', () => {
  it('one secret inside another leaves nothing of the longer one', () => {
    const redactor = new SecretRedactor(
      new Map([
        ['a', 'abcd'],
        ['b', 'abcdefgh'],
      ]),
    );
    expect(redactor.text('x abcdefgh abcd')).toBe('x [secret b] [secret a]');
  });

  it('a replacement is not a pattern', () => {
    expect(new SecretRedactor(new Map([['a', '$&.*']])).text('x $&.* y')).toBe('x [secret a] y');
  });
});

describe('a secret that is cut', () => {
  it.each(Object.entries(WRITTEN))('leaves nothing, written %s', (how, write) => {
    const form = write(SECRET);
    for (let cut = 1; cut <= form.length - (FOUR[how] ?? MOST); cut++) {
      for (const mark of ['', '…', '\ufffd', '…\ufffd\ufffd']) {
        const tail = `${mark}${form.slice(cut)} was refused`;
        expect(redactor.text(tail)).toBe(`${mark}[secret token] was refused`);
        const head = `refused: ${form.slice(0, -cut)}${mark}`;
        expect(redactor.text(head)).toBe(`refused: [secret token]${mark}`);
      }
    }
  });

  it('leaves nothing inside a message either: a mark says where it was cut', () => {
    expect(redactor.text(`it said: …${SECRET.slice(5)} is wrong; its log: x`)).toBe(
      'it said: …[secret token] is wrong; its log: x',
    );
    expect(redactor.text(`redirect to "https://a/${SECRET.slice(0, 8)}…"; not followed`)).toBe(
      'redirect to "https://a/[secret token]…"; not followed',
    );
  });

  it('leaves nothing when both of its ends are cut', () => {
    const long = 'abcdefghijklmnopqrstuvwxyz0123456789'.repeat(3);
    const clean = new SecretRedactor(new Map([['key', long]]));
    expect(clean.text(long.slice(7, 60))).toBe('[secret key]');
    expect(clean.text(`it said: …${long.slice(7, 60)}…`)).toBe('it said: …[secret key]…');
  });

  it('leaves nothing of the longer one when another secret is its beginning', () => {
    const values = new Map([
      ['a', 'abc123'],
      ['b', 'abc123xyz789'],
    ]);
    expect(new SecretRedactor(values).text('it was abc123xyz78')).toBe('it was [secret b]');
    expect(new SecretRedactor(values).text('it was abc123')).toBe('it was [secret a]');
    expect(new SecretRedactor(values).text('23xyz789 it was')).toBe('[secret b] it was');
  });

  it('leaves nothing in the stack of an error', () => {
    const error = new Error(`it said: ${SECRET.slice(0, 9)}`);
    redactor.error(error);
    expect(error.message).toBe('it said: [secret token]');
    expect(error.stack).not.toContain(SECRET.slice(0, 4));
    expect(error.stack).toContain('redact-secrets.test.ts');
  });

  it('is found wherever it is cut, between whatever it stands', () => {
    const secret = fc
      .tuple(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
        fc.constantFrom('Xy7-', 'päss', '"\\n"'),
      )
      .map(([text, more]) => `${more}${text}${more}`.replace(/[~…[\]\ufffd]/g, 'x'));
    const pieces = fc.array(fc.constantFrom('~', '~~~~', '…', 'SECRET'), { maxLength: 8 });
    const cuts = fc.tuple(fc.nat(), fc.nat());
    fc.assert(
      fc.property(
        secret,
        pieces,
        fc.constantFrom(...Object.keys(WRITTEN)),
        cuts,
        (value, parts, how, [a, b]) => {
          const form = WRITTEN[how]?.(value) ?? '';
          const whole = parts.map((part) => (part === 'SECRET' ? form : part)).join('');
          const [from, to] = [a % (whole.length + 1), b % (whole.length + 1)];
          const cut = whole.slice(Math.min(from, to), Math.max(from, to));
          const clean = new SecretRedactor(new Map([['s', value]])).text(cut);
          const left = clean.replaceAll('[secret s]', '').replace(/[~…]/g, '');
          // fewer than four characters at each end tell nothing; between two cuts, fewer than sixteen may be anybody's
          const inside = cut.replace(/[~…]/g, '') === cut && cut.length < form.length;
          const most = Buffer.byteLength(form) / Buffer.byteLength(value);
          expect(left.length, JSON.stringify({ cut, clean })).toBeLessThan(
            inside ? 20 * most : 2 * (FOUR[how] ?? MOST),
          );
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('what is no part of it stays, cut or not', () => {
    for (const text of ['', 's3c', 'ed"', 'nothing secret…', '…nothing secret', '…', 'a s3cr3 in between'])
      expect(redactor.text(text)).toBe(text);
  });
});

describe('a script that fails', () => {
  const failing = (end: ScriptEnd): Task => {
    const scripts = () => ({ run: async () => end });
    const script = scriptTask(testServices({}, { scripts })) as Task;
    const secrets = { location: 'here', read: async () => SECRET };
    return withSecrets(new Map([['script', script]]), secrets).get('script') ?? expect.fail();
  };
  const params = { language: 'shell', source: 'exit 1', environment: { TOKEN: { $secret: 'token' } } };
  const said = async (end: ScriptEnd): Promise<string> =>
    failing(end)
      .run(taskContext(params))
      .then(String, (error: Error) => error.message);

  it.each(['stderr', 'output'] as const)(
    'does not tell the end of a secret that %s was cut in',
    async (stream) => {
      for (let cut = 1; cut < SECRET.length - 4; cut++) {
        const rest = `${SECRET.slice(cut)} was refused`;
        const long = rest.padEnd(500, '.');
        for (const text of [
          rest,
          long,
          `${'x'.repeat(600 - cut)}${SECRET}${'.'.repeat(500 - SECRET.length + cut)}`,
        ]) {
          const message = await said({ exitCode: 1, [stream]: text, truncated: true });
          expect(message).toContain('output: …[secret token]');
          expect(message).not.toContain(SECRET.slice(-4));
        }
      }
    },
  );

  it('tells all that it said when that is short', async () => {
    expect(await said({ exitCode: 3, stderr: 'no such file\n', truncated: false })).toBe(
      'the script ended with exit code 3; output: no such file',
    );
  });
});
