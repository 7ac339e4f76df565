// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of a jobs file
// Reading a jobs file: variables, defaults, and errors with their positions.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JobsFileError } from '../../src/cli/jobs-file/file-document.ts';
import { jobsFileJsonSchema } from '../../src/cli/jobs-file/file-schema.ts';
import { mergeDefaults } from '../../src/cli/jobs-file/merge-defaults.ts';
import { readJobsFile } from '../../src/cli/jobs-file/read-jobs-file.ts';
import { replaceVariables } from '../../src/cli/jobs-file/variables.ts';
import { cli } from './in-process.ts';

const NOW = Date.UTC(2026, 10, 16, 12);
const EXAMPLE = `version: 1
namespace: billing
defaults: { schedule: { timezone: Europe/Paris }, retry: { maxAttempts: 5 }, tags: { team: billing } }
jobs:
  nightly-report: { task: http, params: { url: https://example.com/hook }, schedule: 0 2 * * * }    # text = cron
  heartbeat: { task: noop, schedule: { every: PT30S, startAt: 2026-01-01T00:00:00Z } }
  "remind-\${TENANT}": { task: sqs, params: { queueUrl: "\${QUEUE}", body: {} }, schedule: { cron: 0 9 * * MON-FRI, jitterSeconds: 600 } }
`;

const read = (text: string, env: Record<string, string> = {}) => readJobsFile(text, env, NOW);

function errorsOf(text: string, env: Record<string, string> = {}): string[] {
  try {
    read(text, env);
  } catch (error) {
    if (!(error instanceof JobsFileError)) throw error;
    return error.errors.map(({ line, column, job, path, message }) =>
      [`${line}:${column}`, job, path, message].filter((part) => part !== undefined && part !== '').join(' '),
    );
  }
  return [];
}

const file = (jobs: string): string => `version: 1\nnamespace: n\njobs:\n${jobs}\n`;

it('the documented example', () => {
  const { namespace, jobs } = read(EXAMPLE, { TENANT: 'acme', QUEUE: 'https://sqs/1' });
  expect(namespace).toBe('billing');
  const common = { retry: { maxAttempts: 5 }, tags: { team: 'billing' } };
  expect(jobs).toEqual([
    {
      name: 'nightly-report',
      job: {
        ...common,
        task: 'http',
        params: { url: 'https://example.com/hook' },
        schedule: { timezone: 'Europe/Paris', cron: '0 2 * * *' },
      },
    },
    {
      name: 'heartbeat',
      job: {
        ...common,
        task: 'noop',
        schedule: { timezone: 'Europe/Paris', every: 'PT30S', startAt: '2026-01-01T00:00:00Z' },
      },
    },
    {
      name: 'remind-acme',
      job: {
        ...common,
        task: 'sqs',
        params: { queueUrl: 'https://sqs/1', body: {} },
        schedule: { timezone: 'Europe/Paris', cron: '0 9 * * MON-FRI', jitterSeconds: 600 },
      },
    },
  ]);
});

it('is YAML or JSON', () => {
  const json = { version: 1, namespace: 'n', jobs: { a: { task: 'noop', schedule: '@daily' } } };
  expect(read(JSON.stringify(json)).jobs).toMatchObject([
    { name: 'a', job: { schedule: { cron: '@daily' } } },
  ]);
});

describe('variables', () => {
  it('are replaced in values, with a default if they are not set or empty', () => {
    const env = { A: 'x', EMPTY: '' };
    expect(replaceVariables('${A}-${B:-y}-${EMPTY:-z}-${EMPTY}-$A-$${A}', env)).toEqual({
      text: 'x-y-z--$A-${A}',
      refused: [],
      missing: [],
      malformed: [],
      isWhole: false,
    });
    expect(replaceVariables('${B}${C}', env).missing).toEqual(['B', 'C']);
  });

  it.each([
    'AWS_SECRET_ACCESS_KEY',
    'AWS_REGION',
    'PUNCTUAL_TOKEN',
    'ACTIONS_RUNTIME_URL',
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'NODE_AUTH_TOKEN',
    'npm_token',
    'CI_JOB_TOKEN',
    'DB_PASSWORD',
    'PGPASSWORD',
    'STRIPE_API_KEY',
    'CLIENT_SECRET',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GH_PAT',
  ])('that may hold a credential are not read: %s', (name) => {
    const env = { [name]: 'the-credential', OTHER: 'x' };
    const text = (value: string) =>
      file(`  a: { task: noop, schedule: "@daily", params: { a: "${value}" } }`);
    const refusal = `4:53 the variable ${name} may hold a credential of this machine, so a jobs file does not read it; allow it with --env ${name}, or refer to a secret of the worker: { "$secret": "name" }`;
    for (const value of [`\${${name}}`, `\${${name}:-default}`, `x\${OTHER}\${${name}}`]) {
      expect(errorsOf(text(value), env)).toEqual([refusal]);
      expect(errorsOf(text(value))).toContain(refusal);
    }
    const allowed = readJobsFile(text(`\${${name}}`), env, NOW, [name]);
    expect(allowed.jobs[0]?.job.params).toEqual({ a: 'the-credential' });
    expect(() => readJobsFile(text(`\${${name}}`), env, NOW, [`${name}S`])).toThrow('may hold a credential');
  });

  it.each(['GITHUB_SHA', 'TENANT', 'KEY_NAME', 'TOKENS_OF_DAY', 'MONKEY', 'PATH'])(
    'that hold none are read: %s',
    (name) => {
      expect(replaceVariables(`\${${name}}`, { [name]: 'x' })).toMatchObject({ text: 'x', refused: [] });
    },
  );

  it('that are missing are all listed', () => {
    const text = file(
      '  "a-${X}": { task: noop, schedule: "@daily", params: { a: "${Y}", b: ["${Z}", "${Y:-1}"] } }',
    );
    expect(errorsOf(text)).toEqual([
      '4:3 the variable X is not set, and has no default',
      '4:60 the variable Y is not set, and has no default',
      '4:72 the variable Z is not set, and has no default',
    ]);
  });

  it('cannot change the structure of the file', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const text = file('  a: { task: noop, schedule: "@daily", params: { x: "${V}", y: "a ${V}" } }');
        const [job] = read(text, { V: value }).jobs;
        expect(job?.job.params).toEqual({ x: value, y: `a ${value}` });
      }),
    );
  });

  it('are numbers where a number is meant, and text in params and tags', () => {
    const text = file(
      '  a:\n    task: noop\n    schedule: { cron: "@daily", jitterSeconds: "${N}" }\n    timeoutSeconds: ${N}\n    paused: ${P}\n    params: { v: "${N}" }\n    tags:\n      v: ${N}',
    );
    expect(read(text, { N: '10', P: 'true' }).jobs[0]?.job).toMatchObject({
      schedule: { jitterSeconds: 10 },
      timeoutSeconds: 10,
      paused: true,
      params: { v: '10' },
      tags: { v: '10' },
    });
  });

  it.each(['${A-b}', '${A:?is not set}', '${1}', '${}', '${A:-${B}}', '${A:-{}}', '${A'])(
    '%s is refused, because it would be sent as it is',
    (value) => {
      const text = file(`  a: { task: noop, schedule: "@daily", params: { x: "a ${value} b" } }`);
      expect(errorsOf(text, { A: '1', B: '2' })).toEqual([
        expect.stringMatching(/^4:53 "\$\{.*" is no variable/),
      ]);
    },
  );

  it('that make two names equal are refused', () => {
    const text = file(
      '  a-x: { task: noop, schedule: "@daily" }\n  "a-${X}": { task: noop, schedule: "@daily" }',
    );
    expect(errorsOf(text, { X: 'x' })).toEqual(['5:3 a-x is the name of two jobs']);
  });
});

describe('defaults', () => {
  it.each([
    [
      'objects are merged',
      { params: { a: { x: 1 } } },
      { params: { a: { y: 2 } } },
      { params: { a: { x: 1, y: 2 } } },
    ],
    ['lists are replaced', { params: { a: [1, 2] } }, { params: { a: [3] } }, { params: { a: [3] } }],
    [
      'the kind of schedule is replaced',
      { schedule: { cron: '0 1 * * *', timezone: 'Asia/Tokyo' } },
      { schedule: { every: 'PT1H' } },
      { schedule: { every: 'PT1H', timezone: 'Asia/Tokyo' } },
    ],
    [
      'fields that the kind does not allow are left out',
      { schedule: { timezone: 'UTC', jitterSeconds: 5, dst: { gap: 'skip' as const } } },
      { schedule: { at: '2027-01-01T00:00:00' } },
      { schedule: { at: '2027-01-01T00:00:00', timezone: 'UTC' } },
    ],
    [
      'also for rate(…) and at(…) of AWS',
      { schedule: { timezone: 'UTC', jitterSeconds: 5, dst: { gap: 'skip' as const } } },
      { schedule: 'rate(5 minutes)' },
      { schedule: { cron: 'rate(5 minutes)', timezone: 'UTC', jitterSeconds: 5 } },
    ],
    [
      'a default without a kind is no schedule',
      { schedule: { timezone: 'UTC' } },
      { task: 'a' },
      { task: 'a' },
    ],
  ])('%s', (_what, defaults, job, expected) => {
    expect(mergeDefaults(defaults, job)).toEqual(expected);
  });
});

describe('errors name the line, the column, the job and the field', () => {
  it.each([
    [
      'not YAML',
      'a: [',
      ['1:5 Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    [
      'a schedule that is an alias',
      file('  a: { task: noop, schedule: * * * * * }'),
      [expect.stringContaining('put a schedule that begins with * into quotes')],
    ],
    ['an unknown version', 'version: 2\nnamespace: n\njobs: {}', ['1:10 version must be 1, got 2']],
    ['no namespace', 'version: 1\njobs: {}', [expect.stringContaining('namespace is missing')]],
    [
      'a wrong namespace',
      'version: 1\nnamespace: a b\njobs: {}',
      [expect.stringContaining('2:12 namespace must be a namespace: 1 to 64 letters')],
    ],
    [
      'an unknown field',
      file('  a.b:\n    task: noop\n    schedule: "@daily"\n    retries: 3'),
      [expect.stringMatching(/^7:14 a\.b retries is not a known field; known fields are /)],
    ],
    [
      'a wrong value',
      file('  a.b:\n    task: noop\n    schedule: "@daily"\n    retry: { maxAttempts: 0 }'),
      ['7:27 a.b retry.maxAttempts must be at least 1, got 0'],
    ],
    [
      'no schedule',
      file('  a: { task: noop }'),
      ['4:6 a schedule is missing; a job of a file must have one'],
    ],
    [
      'a relative time',
      file('  a: { task: noop, schedule: { in: PT5M } }'),
      [expect.stringContaining('4:36 a schedule.in does not apply to a file')],
    ],
    ['no task', file('  a: { schedule: "@daily" }'), [expect.stringContaining('a task is missing')]],
    [
      'a wrong pattern',
      file('  a:\n    task: noop\n    schedule: 0 25 * * *'),
      [expect.stringContaining('6:15 a schedule.cron')],
    ],
    [
      'a wrong name',
      file('  "a b": { task: noop, schedule: "@daily" }'),
      [expect.stringContaining('a b must be a name: 1 to 100 letters')],
    ],
    [
      'two jobs of a name',
      file('  a: { task: noop, schedule: "@daily" }\n  a: { task: noop, schedule: "@daily" }'),
      ['5:3 Map keys must be unique'],
    ],
    [
      'two documents',
      'version: 1\n---\nversion: 1',
      ['2:1 a jobs file has one document; remove the line --- or give each document a file of its own'],
    ],
    ['nothing', '', [expect.stringContaining('must be an object')]],
    ['jobs that are text', 'version: 1\nnamespace: n\njobs: abc', ['3:7 jobs must be an object, got "abc"']],
    ['jobs that are a list', file('  - a'), ['4:3 jobs must be an object, got ["a"]']],
    [
      'a merge key',
      file('  a: &a { task: noop, schedule: "@daily" }\n  b: { <<: *a, paused: true }'),
      [expect.stringMatching(/^5:8 merge keys \(<<\) are not part of YAML 1\.2/)],
    ],
    [
      'a tag, which would be ignored',
      file('  a: { task: noop, schedule: "@daily", params: { x: !Sub "${A}" } }'),
      ['4:53 Unresolved tag: !Sub'],
    ],
    [
      'a time by its tag',
      file('  a: { task: noop, schedule: { at: !!timestamp 2027-01-01T00:00:00Z } }'),
      [expect.stringContaining('4:36 Unresolved tag')],
    ],
    [
      'numbers that JSON does not have',
      file('  a: { task: noop, schedule: "@daily", params: { x: .inf, y: [.nan] } }'),
      [
        expect.stringContaining('4:53 .inf is no value of JSON'),
        expect.stringContaining('4:63 .nan is no value of JSON'),
      ],
    ],
    [
      'a key that is a list',
      file('  ? [a, b]\n  : { task: noop, schedule: "@daily" }'),
      [expect.stringMatching(/^4:5 a key must be text/)],
    ],
    [
      'a name that every object has',
      file('  __proto__: { task: noop, schedule: "@daily" }'),
      [expect.stringContaining('4:14 __proto__ must be a name')],
    ],
    [
      'a field of a job whose name begins as that of another',
      file('  a: { task: noop, schedule: "@daily" }\n  a.b: { task: noop, schedule: "@daily", retries: 3 }'),
      [expect.stringMatching(/^5:51 a\.b retries is not a known field/)],
    ],
    [
      'errors of several jobs and kinds at once',
      file(
        '  a: { task: noop }\n  "b c": { task: noop, schedule: "@daily" }\n  d: { task: noop, schedule: "@daily", x: 1 }',
      ),
      [
        '4:6 a schedule is missing; a job of a file must have one',
        expect.stringContaining('5:10 b c must be a name'),
        expect.stringContaining('6:43 d x is not a known field'),
      ],
    ],
  ])('%s', (_what, text, expected) => {
    expect(errorsOf(text)).toEqual(expected);
  });

  it('every text is read or refused with an error', () => {
    const piece = fc.constantFrom(
      ...EXAMPLE.split(/(?<=[\s{},:])/),
      '&a ',
      '*a ',
      '<<: ',
      '!!binary ',
      '- ',
      '? ',
      '|\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const text of [pieces.join(''), EXAMPLE + pieces.join('')])
          for (const message of errorsOf(text, { TENANT: 't', QUEUE: 'q' }))
            expect(message).toMatch(/^\d+:\d+ ./);
      }),
      { numRuns: 500 },
    );
  });
});

describe('punctual schema', () => {
  it('prints a JSON Schema that accepts the example and refuses wrong files', async () => {
    const { code, out } = await cli(['schema']);
    expect([code, JSON.parse(out)]).toEqual([0, jobsFileJsonSchema()]);
    const schema = z.fromJSONSchema(JSON.parse(out));
    const job = { task: 'noop', schedule: '0 2 * * *' };
    const whole = { version: 1, namespace: 'billing', defaults: { tags: { a: 'b' } }, jobs: { x: job } };
    expect(schema.safeParse(whole).success).toBe(true);
    const variables = { ...job, overlap: '${O}', timeoutSeconds: '${N}', misfire: { policy: '${P:-skip}' } };
    expect(schema.safeParse({ ...whole, jobs: { 'x-${X}': variables } }).success).toBe(true);
    for (const wrong of [
      { ...whole, version: 2 },
      { ...whole, jobs: { x: { ...job, retries: 3 } } },
      { ...whole, jobs: { x: { ...job, overlap: 'sometimes' } } },
      { ...whole, jobs: { x: { ...job, schedule: { in: 'PT5M' } } } },
      { ...whole, namespace: 'a b' },
    ])
      expect(schema.safeParse(wrong).success).toBe(false);
  });
});
