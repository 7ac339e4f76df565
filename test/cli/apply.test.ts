// `punctual plan` and `punctual apply` with a real local server.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of a jobs file
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient, type PunctualClient } from '../../src/client/client.ts';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';
import { cli } from './in-process.ts';

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
let client: PunctualClient;
let namespace = '';
let tests = 0;

beforeAll(async () => {
  folder = temporaryFolder();
  local = await startLocal(folder.path, { PUNCTUAL_QUOTA_ACTIVE_JOBS: '30' });
  client = createClient({ baseUrl: local.url, token: await signToken(await tokenKey(folder.path), 'me') });
});
afterAll(async () => {
  await local?.stop();
  folder?.remove();
});
beforeEach(() => {
  namespace = `n${++tests}`;
});

const run = (words: string, input: string, more: Record<string, string> = {}) =>
  cli(words.split(' '), {
    env: { PUNCTUAL_URL: local.url, PUNCTUAL_DATA: folder.path, NAMESPACE: namespace, ...more },
    input,
    now: Date.now(),
  });
const apply = (input: string, flags = '') => run(`apply -f jobs.yaml${flags}`, input);
const plan = (input: string, flags = '') => run(`plan -f jobs.yaml${flags}`, input);

const jobsFile = (jobs: Record<string, unknown>): string =>
  JSON.stringify({ version: 1, namespace: '${NAMESPACE}', defaults: { task: 'noop' }, jobs });

const DAILY = { schedule: '0 2 * * *' };

async function live(): Promise<string[]> {
  const names: string[] = [];
  for (const status of ['active', 'paused'] as const)
    for await (const { name = '' } of client.jobs.list({ namespace, status })) names.push(name);
  return names.sort();
}

describe('apply', () => {
  it('creates, leaves alone, edits and replaces', async () => {
    const first = await apply(jobsFile({ a: DAILY, b: DAILY, c: DAILY }));
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toContain('  + a  create  noop: At 02:00 every day, UTC');
    expect(first.out).toContain('done: 3 created');
    const same = await apply(jobsFile({ a: DAILY, b: DAILY, c: DAILY }));
    expect([same.code, same.out.split('\n').at(-1)]).toEqual([0, 'done: 3 unchanged']);
    const changed = jobsFile({
      a: { schedule: '0 3 * * *', retry: { maxAttempts: 2 } },
      b: { ...DAILY, overlap: 'allow' },
      c: DAILY,
    });
    const { code, out } = await apply(changed);
    expect(code).toBe(0);
    expect(out).toMatch(/ {2}~ a {2}update\n {6}schedule\.cron {6}"0 2 \* \* \*" → "0 3 \* \* \*"\n/);
    expect(out).toMatch(/retry\.maxAttempts {2}3 → 2/);
    expect(out).toMatch(/± b {2}replace: this cannot be edited/);
    expect(out.split('\n').at(-1)).toBe('done: 1 updated, 1 replaced, 1 unchanged');
    expect(await live()).toEqual(['a', 'b', 'c']);
  });

  it('writes nothing if one job is wrong, and names its line', async () => {
    const text = `version: 1
namespace: ${namespace}
jobs:
  good: { task: noop, schedule: "@daily" }
  wrong:
    task: http
    params: { url: ftp://example.com }
    schedule: "@daily"
  past: { task: noop, schedule: { at: 2020-01-01T00:00:00Z } }
  unknown: { task: nope, schedule: "@daily" }
`;
    const { code, err } = await apply(text);
    expect(code).toBe(2);
    expect(err).toMatch(/^jobs\.yaml:7:20: job "wrong": params\.url: must be /m);
    expect(err).toMatch(/^jobs\.yaml:9:33: job "past": schedule\.at is 2020/m);
    expect(err).toMatch(/^jobs\.yaml:10:20: job "unknown": task: must be one of /m);
    expect(err).toContain('punctual: jobs.yaml has 3 errors; nothing was done');
    expect(await live()).toEqual([]);
  });

  it('with --dry-run writes nothing', async () => {
    const { code, out } = await apply(jobsFile({ a: DAILY }), ' --dry-run');
    expect([code, out]).toEqual([0, expect.stringContaining('plan: 1 to create')]);
    expect(await live()).toEqual([]);
  });

  it('prints JSON', async () => {
    const { out } = await apply(jobsFile({ a: DAILY }), ' --json');
    expect(JSON.parse(out)).toEqual({
      namespace,
      summary: { create: 1, update: 0, replace: 0, none: 0, refused: 0, prune: 0 },
      jobs: [{ name: 'a', action: 'create', id: expect.stringMatching(/^job_/) }],
    });
  });

  it('records the note', async () => {
    await run(`apply -f jobs.yaml --note commit-4711`, jobsFile({ a: DAILY }));
    const { id } = await client.namedJobs.get({ namespace, name: 'a' });
    expect((await client.jobs.changes(id).page()).items).toMatchObject([
      { what: 'created', note: 'commit-4711' },
    ]);
  });

  it('exits with 1 if the server refuses a job while it is written', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`j${i}`, DAILY]));
    // a quota belongs to one user, and the other tests need theirs
    const PUNCTUAL_TOKEN = await signToken(await tokenKey(folder.path), 'bob');
    const { code, out, err } = await run('apply -f jobs.yaml', jobsFile(many), { PUNCTUAL_TOKEN });
    expect(code).toBe(1);
    expect(err).toMatch(/^punctual: j\d+: 429 Quota exceeded: at most 30 jobs/m);
    expect(out).toMatch(/done: \d+ created, \d+ refused/);
  });

  it('a one-time job that has ended stays ended', async () => {
    const at = new Date(Date.now() + 1500).toISOString();
    const once = jobsFile({ once: { schedule: { at } } });
    expect((await apply(once)).out).toContain('done: 1 created');
    const { id } = await client.namedJobs.get({ namespace, name: 'once' });
    await expect.poll(async () => (await client.jobs.get(id)).status, { timeout: 30_000 }).toBe('completed');
    expect((await apply(once)).out).toContain('done: 1 unchanged');
    expect((await client.namedJobs.get({ namespace, name: 'once' })).id).toBe(id);
  });
});

describe('prune', () => {
  it('is opt-in and stays inside the namespace', async () => {
    await apply(jobsFile({ a: DAILY, b: DAILY, c: DAILY }));
    await client.namedJobs.put(
      { namespace: `${namespace}-other`, name: 'c' },
      { task: 'noop', schedule: { cron: '0 2 * * *' } },
    );
    const kept = await apply(jobsFile({ a: DAILY, b: DAILY }));
    expect(kept.out).toContain('  - c  not in the file; --prune cancels it');
    expect(await live()).toEqual(['a', 'b', 'c']);
    const pruned = await apply(jobsFile({ a: DAILY, b: DAILY }), ' --prune');
    expect(pruned).toMatchObject({ code: 0, out: expect.stringContaining('done: 1 cancelled, 2 unchanged') });
    expect(await live()).toEqual(['a', 'b']);
    expect((await client.namedJobs.get({ namespace: `${namespace}-other`, name: 'c' })).status).toBe(
      'active',
    );
  });

  it('refuses to cancel more than half without --force, and then does nothing', async () => {
    await apply(jobsFile({ a: DAILY, b: DAILY, c: DAILY }));
    const text = jobsFile({ a: { schedule: '0 9 * * *' } });
    const { code, err } = await apply(text, ' --prune');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('would cancel 2 of the 3 jobs of the namespace'),
    ]);
    expect(await live()).toEqual(['a', 'b', 'c']);
    expect((await client.namedJobs.get({ namespace, name: 'a' })).version).toBe(1);
    // the pull request shows it before apply does
    for (const flags of [' --prune', ' --prune --json', ' --prune --detailed-exitcode']) {
      const planned = await plan(text, flags);
      expect([planned.code, planned.err]).toEqual([2, expect.stringContaining('would cancel 2 of the 3')]);
      if (flags.includes('json')) expect(JSON.parse(planned.out).summary).toMatchObject({ prune: 2 });
    }
    expect((await plan(text, ' --prune --force')).code).toBe(0);
    expect((await apply(text, ' --prune --force')).code).toBe(0);
    expect(await live()).toEqual(['a']);
  });
});

describe('plan', () => {
  it('has an exit code for differences', async () => {
    const text = jobsFile({ a: DAILY });
    expect((await plan(text)).code).toBe(0);
    expect((await plan(text, ' --detailed-exitcode')).code).toBe(3);
    await apply(text);
    expect((await plan(text, ' --detailed-exitcode')).code).toBe(0);
    expect((await plan(jobsFile({}), ' --detailed-exitcode')).code).toBe(0);
    expect((await plan(jobsFile({}), ' --prune --force --detailed-exitcode')).code).toBe(3);
    expect((await plan('version: 3', ' --detailed-exitcode')).code).toBe(2);
  });

  it('hides values whose path is cut, and counts the changes that are not listed', async () => {
    const job = (value: string) => {
      const inner = { ['k'.repeat(30)]: { ['x'.repeat(70)]: { ['y'.repeat(70)]: { zz: value } } } };
      const deep = {
        token: inner,
        [`${'k'.repeat(70)}password`]: { ['z'.repeat(60)]: { ['z'.repeat(60)]: value } },
      };
      const rest = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`n${n}`, value]));
      return { ...DAILY, task: 'noop', params: { result: { ...deep, ...rest } } };
    };
    await apply(jobsFile({ a: job('hush') }));
    const { out } = await plan(jobsFile({ a: job('hush-hush') }));
    expect(out.match(/ \(hidden\) → \(hidden\)\n/g)).toHaveLength(2);
    expect(out).toContain('"hush" → "hush-hush"');
    expect(out).toMatch(/\n +and 2 more changes\n/);
  });

  it('shows drift with its author, and hides values that look confidential', async () => {
    const job = (token: string) => ({
      task: 'http',
      params: { url: 'https://example.com', headers: { authorization: token, 'x-version': '1' } },
      ...DAILY,
    });
    await apply(jobsFile({ a: job('Bearer old') }));
    const { id } = await client.namedJobs.get({ namespace, name: 'a' });
    await client.jobs.edit(id, { timeoutSeconds: 9, note: 'for now' });
    const { out } = await plan(jobsFile({ a: job('Bearer new') }));
    expect(out).toMatch(/timeoutSeconds +9 → 300 {3}\(drift: edited by me (now|\d+ s ago), "for now"\)/);
    expect(out).toMatch(/params\.headers\.authorization +\(hidden\) → \(hidden\)\n/);
    expect(out).not.toContain('Bearer');
    const { out: markdown } = await plan(jobsFile({ a: job('Bearer new') }), ' --markdown');
    expect(markdown).toContain('| update | `a` | ');
    expect(markdown).toContain('**drift**: edited by me');
    expect(markdown).not.toContain('Bearer');
  });

  it('shows that a job was cancelled by hand, because it is created again', async () => {
    const text = jobsFile({ a: { schedule: { every: 'PT5M', jitterSeconds: 9 } } });
    await apply(text);
    await client.namedJobs.cancel({ namespace, name: 'a' }, { note: 'not needed' });
    expect((await plan(text)).out).toMatch(
      / {2}\+ a {2}create {2}noop: Every 5 minutes, each run delayed by up to 9 seconds {3}\(drift: cancelled by me (now|\d+ s ago), "not needed"\)/,
    );
    expect((await plan(text, ' --markdown')).out).toMatch(
      /\| create \| `a` \| noop: .* \*\*drift\*\*: cancelled by me .*, "not needed" \|/,
    );
  });
});
