// Every subcommand with a real local server. The tests create their jobs with the client. What a process adds, such as signals and
// streams, has tests with a process, because each takes a second.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type JobInput, type PunctualClient } from '../../src/client/client.ts';
import { localSigningKeys } from '../../src/local/local-signing-keys.ts';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { execute, start } from './command.ts';
import { onSystem } from './in-process.ts';

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
let env: Record<string, string>;
let client: PunctualClient;

beforeAll(async () => {
  folder = temporaryFolder();
  local = await startLocal(folder.path);
  env = { PUNCTUAL_URL: local.url, PUNCTUAL_DATA: folder.path };
  client = createClient({
    baseUrl: local.url,
    token: await signToken(await tokenKey(folder.path), 'me'),
  });
});
afterAll(async () => {
  await local?.stop();
  folder?.remove();
});

const punctual = (words: string, input?: string) => onSystem(split(words), { env, input });

/** Splits a command line at spaces. Words with spaces are in single quotes. */
const split = (words: string): string[] =>
  [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** The parsed output of a command with --json. */
async function json(words: string, input?: string) {
  const { code, out, err } = await punctual(`${words} --json`, input);
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

const farAway = (name: string, more: Partial<JobInput> = {}) =>
  client.jobs.create({ name, task: 'noop', schedule: { in: 'P1D' }, ...more });

/** Runs a job now and waits for the end. */
const ran = async (jobId: string) => client.waitFor((await client.jobs.run(jobId)).id, { timeoutMs: 20_000 });

describe('creating', () => {
  it('prints warnings about the schedule to stderr, for create and edit', async () => {
    const message = /^warning: The day of month and the day of week are both restricted/m;
    const created = await punctual(`create --task noop --name either --cron '0 9 13 * FRI'`);
    expect(created).toMatchObject({ code: 0, err: expect.stringMatching(message) });
    const changed = await punctual(`edit either --cron '0 9 14 * FRI'`);
    expect(changed).toMatchObject({ code: 0, err: expect.stringMatching(message) });
    expect((await punctual(`edit either --cron '0 9 14 * *'`)).err).not.toMatch(/warning/);
    expect((await json(`edit either --cron '0 9 14 * FRI'`)).warnings).toHaveLength(1);
  });

  it('takes flags for retries, misfires and notifications', async () => {
    const { id } = await json(
      `create --task noop --name policies --every 1h --max-attempts 4 --backoff 5s --max-backoff 10m --misfire skip --misfire-grace 2m --notify failed,late=https://example.com/hook --notify failed=arn:aws:sns:eu-west-1:123456789012:alerts`,
    );
    const job = await client.jobs.get(id);
    expect(job).toMatchObject({
      retry: { maxAttempts: 4, backoffSeconds: 5, maxBackoffSeconds: 600 },
      misfire: { policy: 'skip', graceSeconds: 120 },
      notify: [
        { on: ['failed', 'late'], webhook: { url: 'https://example.com/hook' } },
        { on: ['failed'], sns: { topicArn: 'arn:aws:sns:eu-west-1:123456789012:alerts' } },
      ],
    });
    await json(`edit ${id} --backoff 1m --misfire-grace 30`);
    expect(await client.jobs.get(id)).toMatchObject({
      retry: { maxAttempts: 4, backoffSeconds: 60, maxBackoffSeconds: 600 },
      misfire: { policy: 'skip', graceSeconds: 30 },
    });
    const wrong = await punctual('create --task noop --notify broken=https://example.com/hook');
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('notify[0].on[0]') });
  });

  it('finds a job by its namespace and name', async () => {
    const { id } = await client.namedJobs.put(
      { namespace: 'billing', name: 'shown' },
      { task: 'noop', schedule: { cron: '0 2 * * *' } },
    );
    expect((await json('show billing/shown')).id).toBe(id);
    expect(await json('list --namespace billing')).toMatchObject([{ id }]);
    expect(await punctual('show billing/none')).toMatchObject({ code: 1 });
  });

  it('lists the executions of all jobs', async () => {
    const [one, two] = [await farAway('of-all-1'), await farAway('of-all-2')];
    const ended = [await ran(one.id), await ran(two.id)].map(({ id }) => id);
    const listed = (await json('executions --status succeeded --from 1h --all')) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(ended));
    const { out } = await punctual('executions --limit 1');
    expect(out).toMatch(/^DUE .* ID/);
    expect(
      ((await json('executions --status scheduled --all')) as { jobId: string }[]).map(({ jobId }) => jobId),
    ).toContain(one.id);
  });

  it('by flags prints the id, the schedule in words and the next run', async () => {
    const { code, out } = await punctual(
      `create --task noop --name report --cron '0 9 * * MON-FRI' --timezone Europe/Paris --tag team=billing --max-attempts 2 --timeout 30s`,
    );
    expect(code).toBe(0);
    const [, id = ''] =
      /^created (job_\w{20}): At 09:00 on Mondays to Fridays, Europe\/Paris time; next run in .* \(20.*Z\)$/m.exec(
        out,
      ) ?? [];
    expect(await client.jobs.get(id)).toMatchObject({
      name: 'report',
      schedule: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' },
      tags: { team: 'billing' },
      retry: { maxAttempts: 2 },
      timeoutSeconds: 30,
    });
  });

  it('from a file or stdin, flags override fields; the same idempotency key creates no second job', async () => {
    const file = join(folder.path, 'job.json');
    const job = { name: 'filed', task: 'noop', params: { result: 1 }, schedule: { in: 'P1D' } };
    writeFileSync(file, JSON.stringify(job));
    const first = await json(`create --file ${file} --name other --idempotency-key k1`);
    expect(first).toMatchObject({ name: 'other', params: { result: 1 }, schedule: { in: 'P1D' } });
    const words = split('create --file - --name other --idempotency-key k1 --json');
    const again = await execute(words, { env, input: JSON.stringify(job) });
    expect(JSON.parse(again.out).id, again.err).toBe(first.id);
    expect(first).not.toHaveProperty('limit');
  });

  it('with a concurrency key, which many jobs may share', async () => {
    const jobs = [];
    for (const name of ['keyed-1', 'keyed-2'])
      jobs.push(await json(`create --task noop --in 1d --name ${name} --key db --concurrent 3`));
    expect(jobs).toMatchObject([
      { name: 'keyed-1', limit: { key: 'db', concurrent: 3 } },
      { name: 'keyed-2', limit: { key: 'db', concurrent: 3 } },
    ]);
  });

  it('with --wait prints the result: exit code 0 if the run succeeded, otherwise 1', async () => {
    const good = await punctual(`create --task noop --params '{"result":{"rows":3}}' --wait`);
    expect(good.out).toMatch(/ succeeded, .* late, took .*: {"rows":3}\n$/);
    expect(good.code).toBe(0);
    const bad = await punctual(`create --task noop --params '{"fail":true}' --wait --json`);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({
      status: 'failed',
      error: { message: 'params.fail is true' },
    });
    const slow = await punctual('create --task noop --in 1d --wait --wait-timeout 300ms');
    expect(slow.err).toContain('has not ended within 300 ms');
    expect(slow.code).toBe(1);
  });

  it('prints each wrong field', async () => {
    const words = split(`create --task nop --cron '0 9 * *' --overlap maybe`);
    const { code, out, err } = await execute(words, { env });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^punctual: 400 Invalid input\n/);
    expect(err).toMatch(/^ {2}task: must be one of .*, got "nop"$/m);
    expect(err).toMatch(/^ {2}overlap: must be one of "skip", "queue", "allow", got "maybe"$/m);
    const forPrograms = await punctual('create --task nop --json');
    expect(JSON.parse(forPrograms.err)).toMatchObject({ error: { status: 400, problem: { status: 400 } } });
  });
});

describe('reading', () => {
  it('list shows a table as wide as the terminal, and filters', async () => {
    await farAway(`wide-${'x'.repeat(80)}`, { tags: { look: 'here' } });
    // a process, which takes its width, its streams and its exit code from the system
    const { code, out } = await execute(['list', '--tag', 'look=here'], { env: { ...env, COLUMNS: '90' } });
    expect(code).toBe(0);
    const [head, row, ...rest] = out.trimEnd().split('\n');
    expect(head).toMatch(/^ID +NAME +TASK +STATUS +NEXT RUN +SCHEDULE$/);
    expect(row).toMatch(/^job_\w{20} {2}wide-x+… .* active +in 24 h /);
    expect(row?.length).toBeLessThanOrEqual(90);
    expect(rest).toEqual([]);
    const absolute = await punctual('list --tag look=here --absolute');
    expect(absolute.out).toMatch(/ active {2}20\d\d-\d\d-\d\dT[\d:.]+Z /);
  });

  it('list hints at more results, and --all prints them', async () => {
    for (const name of ['m1', 'm2', 'm3']) await farAway(name);
    const some = await punctual('list --name m --limit 2 --json');
    expect(JSON.parse(some.out)).toMatchObject([{ name: 'm3' }, { name: 'm2' }]);
    expect(some.err).toContain('there are more than these 2');
    expect(await json('list --name m --all')).toHaveLength(3);
    const none = await punctual('list --status failed --name m');
    expect(none).toEqual({ code: 0, out: '', err: 'no jobs\n' });
  });

  it('show and logs print a job, by its name, and its executions', async () => {
    const job = await farAway('looked');
    const { id } = await ran(job.id);
    const { out } = await punctual('show looked');
    expect(out).toMatch(/^name +looked$/m);
    expect(out).toMatch(/^next run +in 24 h \(/m);
    expect(out).toContain(id);
    expect((await punctual(`show ${id}`)).out).toMatch(/^started +20.*Z \(due \+ [\d.]+ m?s\)$/m);
    expect(await json('show looked')).toMatchObject({ id: job.id, status: 'active' });
    expect(await json('logs looked --status succeeded')).toMatchObject([{ id, status: 'succeeded' }]);
    expect((await punctual('logs looked')).out).toMatch(/^DUE +STATUS +LATE +TOOK +ATTEMPT +ID/);
  });

  it('an unknown or ambiguous name exits with 1', async () => {
    expect(await punctual('show nobody')).toEqual({
      code: 1,
      out: '',
      err: 'punctual: there is no job with the id or name "nobody"\n',
    });
    for (let i = 0; i < 2; i++) await farAway('twin');
    const { code, err } = await punctual('pause twin');
    expect(code).toBe(1);
    expect(err).toMatch(
      /^punctual: 2 jobs have the name "twin"; use an id:\n( {2}job_\w{20} {2}active\n){2}$/,
    );
  });

  it('logs --follow shows each change and ends with the job', async () => {
    await farAway('followed', { schedule: { in: 'PT2S' }, params: { durationMs: 1500 } });
    const { code, out } = await punctual('logs followed --follow --json');
    const seen = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).status);
    expect(code).toBe(0);
    expect(seen.at(-1)).toBe('succeeded');
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('logs --follow ends with 130 at Ctrl-C', async () => {
    await farAway('endless', { schedule: { every: 'PT1H', startAt: '2099-01-01T00:00:00Z' } });
    const following = start(['logs', 'endless', '-f'], { env });
    await following.printed(/waiting/);
    following.child.kill('SIGINT');
    expect(await following.ended).toMatchObject({ code: 130, out: '' });
  });

  it('system shows the engine, and a line per shard', async () => {
    const state = await json('system');
    expect(state).toMatchObject({ engine: 'embedded', shardCount: state.shards.length });
    const { out } = await punctual('system');
    expect(out).toMatch(/^version +\d.*\nengine +embedded\n/);
    expect(out.split('\n').filter((line) => /^ *\d+ {2}/.test(line))).toHaveLength(state.shardCount);
    const asUser = { ...env, PUNCTUAL_TOKEN: await signToken(await tokenKey(folder.path), 'me') };
    const refused = await execute(['system'], { env: asUser });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('for operators only') });
  });

  it('forecast shows a line per minute and the busiest second', async () => {
    await client.jobs.create({ name: 'soon', task: 'noop', schedule: { in: 'PT2M' } });
    const { items } = await json('forecast');
    const { out } = await punctual('forecast');
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^MINUTE +DUE/);
    expect(lines).toHaveLength(items.length + 3);
    expect(lines.at(-1)).toMatch(/^busiest second: \d+$/);
  });

  it('list --recent shows a strip of the last runs, and the legend', async () => {
    const { id } = await farAway('striped', { params: { fail: true }, retry: { maxAttempts: 1 } });
    await ran(id);
    await client.jobs.edit(id, { params: {} });
    await ran(id);
    const { out, err } = await punctual('list --name striped --recent');
    const [head, job] = out.trimEnd().split('\n');
    expect(head).toMatch(/STATUS +LAST RUNS +NEXT RUN/);
    expect(job).toMatch(new RegExp(`^${id} .* active +\\.X `));
    expect(err).toMatch(/^last runs, newest first: .*\. succeeded, X failed/);
    const [summary] = await json('list --name striped --recent');
    expect(summary.recent).toMatchObject([{ status: 'succeeded' }, { status: 'failed' }]);
    expect(summary).not.toHaveProperty('params');
  });

  it('logs of an execution prints its lines, and with --follow until it ends', async () => {
    const params = { to: 3, stepMs: 300 };
    const { id } = await client.jobs.create({ name: 'counting', task: 'count-slowly', params });
    const started = await until('it runs', async () => (await client.jobs.get(id)).lastExecution?.id);
    const followed = await punctual(`logs ${started} --follow`);
    expect(followed).toMatchObject({ code: 0, err: '' });
    expect(followed.out).toMatch(/^\S+Z {2}INFO {3}start counting {2}\{"from":0,"to":3,"attempt":1\}\n$/);
    const { items, complete } = await client.executions.logs(started);
    expect([items.length, complete]).toEqual([1, true]);
    expect(await json(`logs ${started}`)).toEqual(items[0]);
    expect(await punctual(`logs ${started} --status failed`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--status filters the executions of a job'),
    });
    const quiet = await ran((await farAway('quiet')).id);
    expect(await punctual(`logs ${quiet.id}`)).toMatchObject({ code: 0, out: '', err: 'no log lines\n' });
    const unknown = `${id}.1796119200000`;
    expect(await punctual(`logs ${unknown}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(unknown),
    });
  });

  it('stats prints the counts of the server by bucket, and with --mine a summary of the own executions', async () => {
    await ran((await farAway('counted')).id);
    const { items, bucket, since } = await json('stats --bucket 1m');
    expect(bucket).toBe('PT1M');
    const sum = (name: string) =>
      items.reduce((all: number, one: Record<string, number>) => all + (one[name] ?? 0), 0);
    expect(sum('succeeded')).toBeGreaterThan(0);
    expect(sum('started')).toBeGreaterThan(0);
    const { out } = await punctual('stats --absolute');
    expect(out).toMatch(
      /^FROM +STARTED +SUCCEEDED +FAILED +RETRIED +SKIPPED +CANCELLED +RUNNING +P50 +P99\n/,
    );
    expect(out).toContain(`counted since ${since}`);
    const summary = await json('stats --mine --from 1h');
    expect(summary.counts.succeeded).toBeGreaterThan(0);
    expect(summary.worst.length).toBeGreaterThan(0);
    expect((await punctual('stats --mine')).out).toMatch(/^range +\S+Z to \S+Z\nexecutions +\d+\n/);
    expect((await json('stats --owner nobody')).lookedAt).toBe(0);
    for (const [words, message] of [
      ['stats --bucket 2m', '--bucket must be one of 1m, 5m, 15m, 1h, 1d, got "2m"'],
      ['stats --mine --bucket 1m', '--mine and --owner have one summary'],
      ['stats --from 3d --bucket 1m', 'bucket: must be PT5M or longer'],
    ] as const)
      expect(await punctual(words)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it('tasks and workers print lists', async () => {
    expect((await punctual('tasks')).out).toMatch(/^noop +durationMs result failTimes fail +Does nothing/m);
    expect(await json('tasks noop')).toMatchObject({ name: 'noop', params: { type: 'object' } });
    expect(await json('workers')).toMatchObject([{ id: expect.any(String), running: expect.any(Array) }]);
    const { out } = await punctual('workers');
    expect(out).toMatch(/^WORKER +HOST +STARTED +SEEN +RUNS +STATE +ENDED IN 5 MIN +VERSION/);
    expect(out).toMatch(/ \d+\/\d+ +active +\S/);
  });
});

describe('changing', () => {
  it('explain says in one line why a job did or did not run, and lists the evidence', async () => {
    const { id, nextRunAt = '' } = await farAway('explained');
    expect(await json(`explain explained --at ${nextRunAt}`)).toMatchObject({ verdict: 'notYetDue' });
    await client.jobs.pause(id, { note: 'being moved' });
    const { code, out } = await punctual(`explain explained --at ${nextRunAt} --absolute`);
    expect(code).toBe(0);
    const [sentence, due, empty, head, evidence] = out.split('\n');
    expect(sentence).toMatch(/^paused: me paused the job at .*Z \("being moved"\), until it is resumed\.$/);
    expect([due, empty]).toEqual([`due  ${nextRunAt}`, '']);
    expect(head).toMatch(/^WHEN +EVIDENCE +READ IT AT$/);
    expect(evidence).toMatch(new RegExp(`Z  paused by me: being moved  /jobs/${id}/changes$`));
    expect((await ran(id)).status).toBe('succeeded');
    expect((await punctual('explain explained --at now')).out).toMatch(/^ran: The manual run of /);
    expect(await punctual('explain explained --at yesterday')).toMatchObject({ code: 2 });
  });

  it('changes lists the user, the fields and the note of each change', async () => {
    const { id } = await client.jobs.create({ name: 'kept', task: 'noop', schedule: { every: 'PT1H' } });
    await punctual(`edit kept --cron '0 9 * * *' --params '{"result":"swordfish"}' --note 'earlier, please'`);
    await punctual(`pause kept --note 'the receiver moves'`);
    await punctual(`resume kept`);
    await punctual(`cancel kept --note over`);
    const shown = await json('changes kept');
    expect(shown.map((c: Record<string, unknown>) => [c.version, c.what, c.by, c.note])).toEqual([
      [5, 'cancelled', 'me', 'over'],
      [4, 'resumed', 'me', undefined],
      [3, 'paused', 'me', 'the receiver moves'],
      [2, 'edited', 'me', 'earlier, please'],
      [1, 'created', 'me', undefined],
    ]);
    expect(JSON.stringify(shown)).not.toContain('swordfish');
    const { out, err } = await punctual(`changes ${id} --limit 4`);
    expect(err).toMatch(/more than these 4/);
    expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'WHEN | VERSION | WHAT | BY | CHANGED | NOTE',
      expect.stringMatching(/ \| 5 \| cancelled \| me \| status active → cancelled \| over$/),
      expect.stringMatching(/ \| 4 \| resumed \| me \| status paused → active$/),
      expect.stringMatching(/ \| 3 \| paused \| me \| status active → paused \| the receiver moves$/),
      expect.stringMatching(
        /schedule Every hour.* → At 09:00 every day, UTC; params of version 1 → of version 2 \| earlier, please$/,
      ),
      '',
    ]);
  });

  it('run, pause, resume, edit and cancel print the new status', async () => {
    const { id } = await farAway('acted', { schedule: { cron: '0 9 * * *' } });
    expect((await punctual('run acted --wait')).out).toMatch(
      new RegExp(`^${id}\\.\\d{13}-\\w+ succeeded, .* late`),
    );
    expect((await punctual('pause acted')).out).toBe(`${id} is paused\n`);
    expect((await punctual('resume acted')).out).toMatch(/^job_\w{20} is active; next run in /);
    expect((await punctual('edit acted --every 2h')).out).toMatch(/is now version \d+: Every 2 hours/);
    const refused = await punctual('edit acted --name x --if-version 1');
    expect(refused.err).toMatch(/^punctual: 412 /);
    expect(refused.code).toBe(1);
    expect(await json('cancel acted')).toEqual({ id, status: 'cancelled' });
  });

  it('several arguments are handled, even if one fails', async () => {
    for (const name of ['one', 'two']) await farAway(name);
    const { code, out, err } = await punctual('cancel one gone two');
    expect(code).toBe(1);
    expect(out).toMatch(/^(job_\w{20} is cancelled\n){2}$/);
    expect(err).toContain('punctual: gone: there is no job');
  });

  it('bulk counts, needs a confirmation, and changes all matching jobs', async () => {
    for (const name of ['bulk-a', 'bulk-b', 'bulk-c'])
      await json(`create --task noop --cron '0 4 * * *' --name ${name}`);
    expect((await punctual('bulk pause --name bulk- --dry-run')).out).toBe('3 jobs would change\n');
    const unconfirmed = await punctual('bulk pause --name bulk-');
    expect(unconfirmed.code).toBe(2);
    expect(unconfirmed.err).toContain('Pause 3 jobs? There is no terminal to ask: give --yes');
    expect(await json('bulk pause --name bulk- --dry-run'), 'nothing was changed').toEqual({ matched: 3 });

    const paused = await punctual('bulk pause --name bulk- --note moved --yes');
    expect(paused).toMatchObject({ code: 0, out: expect.stringMatching(/^done +3 of 3$/m) });
    expect(await json('list --name bulk- --status paused')).toHaveLength(3);
    expect((await json('changes bulk-b'))[0]).toMatchObject({ what: 'paused', note: 'moved' });
    expect(await json('bulk resume --name bulk-a --yes')).toMatchObject({ action: 'resume', done: 1 });
    const { operation } = await json('bulk cancel --name bulk- --yes --no-wait');
    expect(await json(`operations get ${operation}`)).toMatchObject({ action: 'cancel', total: 3 });
    const all = await punctual('bulk cancel --yes');
    expect(all).toMatchObject({ code: 2, err: expect.stringContaining('all: must be true') });
  });

  it('retry and dead-letters redrive run failed executions again', async () => {
    const job = await farAway('failing', { params: { fail: true } });
    const { id } = await ran(job.id);
    expect(await json('dead-letters --job failing')).toMatchObject([{ id, status: 'failed' }]);
    expect((await punctual('dead-letters')).out).toMatch(/failed .* params.fail is true$/m);
    expect(await json(`dead-letters redrive ${id}`)).toEqual({ redriven: 1 });
    expect(await client.waitFor(id, { timeoutMs: 20_000 })).toMatchObject({ status: 'failed' });
    const again = await punctual(`retry ${id} --wait`);
    expect(again.out).toContain(`${id} failed`);
    expect(again.code).toBe(1);
  });
});

describe('audit', () => {
  beforeAll(async () => {
    const job = { schedule: { every: 'PT1S' }, overlap: 'queue', params: { durationMs: 1600 } } as const;
    await farAway('busy', job);
  });

  it('finds nothing if everything ran, and expects nothing during a pause, with or without an end', async () => {
    const { id } = await farAway('audited', { schedule: { every: 'PT1S' } });
    const report = async (flags: string) => JSON.parse((await punctual(`audit audited ${flags} --json`)).out);
    await until('two occurrences have run', async () => (await report('--late 10s')).recorded >= 2);
    const fine = await punctual('audit audited --late 10s');
    expect(fine.out).toMatch(/\n\d+ expected, \d+ recorded, 0 missing, 0 late \(more than 10 s\), 0 doubled/);
    expect(fine.code).toBe(0);

    await client.jobs.pause(id);
    await until('an occurrence falls into the pause', async () => (await report('--late 1s')).paused >= 1);
    const found = await punctual('audit audited --late 1s --json');
    const paused = JSON.parse(found.out);
    expect(paused.missing).toEqual([]);
    expect(paused.paused).toBeGreaterThanOrEqual(1);
    expect(paused.notes[0]).toMatch(/^the job is paused since/);
    expect(found.code).toBe(0);
    const people = await punctual('audit audited --late 1s');
    expect(people.out).toMatch(/, \d+ during a pause/);
    expect(people.err).toMatch(/^note: the job is paused since/);

    await client.jobs.resume(id);
    await client.jobs.pause(id, { until: new Date(Date.now() + 2000).toISOString() });
    await until('the pause is over', async () => {
      const { notes, paused: during } = await report('--late 2s');
      return notes.length === 0 && during > paused.paused;
    });
    const over = await punctual('audit audited --late 2s --json');
    expect(JSON.parse(over.out)).toMatchObject({ missing: [], notes: [] });
    expect(JSON.parse(over.out).paused).toBeGreaterThan(paused.paused);

    expect((await json('backfill audited --from 1h --no-wait')).planned).toBeGreaterThanOrEqual(1);
    await client.jobs.cancel(id);
  });

  it('backfill waits and prints its progress; --no-wait returns immediately; operations gets and stops it', async () => {
    const startAt = new Date(Date.now() - 150 * 60_000).toISOString();
    const { id } = await client.jobs.create({
      ...{ name: 'filled', task: 'noop', overlap: 'allow' },
      schedule: { every: 'PT1M', startAt },
    });
    const { code, out, err } = await punctual('backfill filled --from 3h --to 1h');
    expect(code, err).toBe(0);
    expect(err).toMatch(/^9[01] occurrences will run: op_\w{20}$/m);
    expect(err).toMatch(/^op_\w{20} is done: 9[01] of 9[01]$/m);
    expect(out).toMatch(/^status +done$/m);
    expect(out).toMatch(/^done +9[01] of 9[01]$/m);
    const rest = await punctual('backfill filled --from 3h --no-wait');
    expect(rest.out).toMatch(/^(59|6[01]) occurrences will run: op_\w{20}\n$/);
    const [operation = ''] = /op_\w{20}/.exec(out) ?? [];
    expect(await json(`operations get ${operation}`)).toMatchObject({ jobId: id, status: 'done' });
    expect((await json(`operations stop ${operation}`)).status, 'it had ended').toBe('done');
    expect((await punctual('operations get op_00000000000000000000')).err).toMatch(
      /there is no operation op_0/,
    );
    expect((await punctual('operations list x')).err).toMatch(/takes get or stop .*, got "list"/);
    expect((await punctual('backfill filled --from 3h --no-wait --wait-timeout 5s')).code).toBe(2);
    await client.jobs.cancel(id);
  });

  it('finds executions that started late because they had to wait', async () => {
    // The job has been running since the previous test.
    const { code, out } = await punctual('audit busy --late 1s --fail-late --json');
    expect(code).toBe(1);
    const { late, doubled } = JSON.parse(out);
    expect(late.length).toBeGreaterThanOrEqual(1);
    expect(late[0].latenessMs).toBeGreaterThan(1000);
    expect(doubled).toEqual([]);
  });
});

describe('the server and the token', () => {
  it('a token of another user lists only the jobs of that user', async () => {
    const { out: token, code } = await punctual('token alice');
    expect(code).toBe(0);
    const hers = await punctual(`list --json --token ${token.trim()}`);
    expect(JSON.parse(hers.out)).toEqual([]);
    const refused = await punctual(`list --owner me --token ${token.trim()}`);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('only operators can name another user');
    const asOperator = JSON.parse((await punctual('list --owner me --limit 1 --json')).out);
    expect(asOperator).toMatchObject([{ owner: 'me' }]);
    const operators = JSON.parse((await punctual('token ops --operator --json')).out);
    const [, claims = ''] = operators.token.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      sub: 'ops',
      groups: ['punctual-operators'],
    });
  });

  it('signing-key prints the keys by which a receiver verifies requests of a user', async () => {
    const { code, out } = await punctual('signing-key alice');
    expect([code, JSON.parse(out)]).toEqual([0, await localSigningKeys(folder.path, 'alice')]);
    expect(out).not.toBe((await punctual('signing-key bob')).out);
    expect(await punctual(`signing-key ''`)).toMatchObject({ code: 2 });
  });

  it('an invalid token and an unreachable server exit with 1', async () => {
    const stranger = await punctual('list --token x.y.z');
    expect(stranger.err).toMatch(/^punctual: 401 .*\nThe token comes from /);
    expect(stranger.code).toBe(1);
    const alone = await punctual('list --url http://127.0.0.1:49');
    expect(alone.err).toMatch(
      /^punctual: no response from http:\/\/127\.0\.0\.1:49: .*\nIs the server running\?/,
    );
    expect(alone.code).toBe(1);
  });

  it('a closed output pipe is no error', async () => {
    const listing = start(['list', '--all', '--json'], { env });
    listing.child.stdout.destroy();
    expect(await listing.ended).toMatchObject({ code: 0, err: '' });
  });
});
