// Names, tags, errors and params of other users may contain sequences that control a terminal. No command prints them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { onSystem } from './in-process.ts';

const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f\u202e\u2066\u200f\u061c\r\b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
let id: string;
let execution: string;
const receiver = createServer((_request, response) => response.writeHead(500).end(`no ${ESCAPES}`));

const call = (method: string, path: string, body?: unknown) => local.as('me')(method, path, body);
const run = (...words: string[]) =>
  onSystem(words, { env: { PUNCTUAL_DATA: folder.path, PUNCTUAL_URL: local.url }, width: 120 });

beforeAll(async () => {
  folder = temporaryFolder();
  local = await startLocal(folder.path);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const created = await call('POST', '/jobs', {
    name: `n${ESCAPES}`,
    description: `d${ESCAPES}`,
    task: 'http',
    params: { url: `http://127.0.0.1:${port}/`, body: { [`k${ESCAPES}`]: ESCAPES } },
    tags: { team: `t${ESCAPES}` },
    schedule: { cron: '0 0 1 1 *' },
    retry: { maxAttempts: 1 },
  });
  // names and tags without controls are all that a server may allow; then the rest of the job has them
  expect([201, 400]).toContain(created.status);
  const job =
    created.status === 201
      ? created
      : await call('POST', '/jobs', {
          name: 'n\u202e\u2066',
          task: 'http',
          params: { url: `http://127.0.0.1:${port}/`, body: { [`k${ESCAPES}`]: ESCAPES } },
          schedule: { cron: '0 0 1 1 *' },
          retry: { maxAttempts: 1 },
        });
  expect([job.status, job.body]).toEqual([201, expect.anything()]);
  id = job.body.id;
  await call('POST', `/jobs/${id}/run`);
  await until(
    'the execution has failed',
    async () => (await call('GET', `/jobs/${id}/executions`)).body.items[0]?.status === 'failed',
    { withinMs: 15_000, everyMs: 200 },
  );
  execution = (await call('GET', `/jobs/${id}/executions`)).body.items[0].id;
}, 60_000);
afterAll(async () => {
  await local?.stop();
  receiver.close();
  folder?.remove();
});

const COMMANDS: Record<string, () => string[]> = {
  list: () => ['list'],
  show: () => ['show', id],
  'show of an execution': () => ['show', execution],
  executions: () => ['executions', id],
  'executions of all jobs': () => ['executions'],
  'dead-letters': () => ['dead-letters'],
  'dead-letters by error': () => ['dead-letters', '--by', 'error'],
  audit: () => ['audit', id],
  explain: () => ['explain', id],
  changes: () => ['changes', id],
  logs: () => ['logs', execution],
  preview: () => ['preview', '--cron', '* * * * *'],
  forecast: () => ['forecast'],
  stats: () => ['stats'],
  workers: () => ['workers'],
  operations: () => ['operations'],
  'a job that is not there': () => ['show', `x${ESCAPES}`],
  'a command that is not there': () => [`x${ESCAPES}`],
  'a bulk change that asks': () => ['bulk', 'pause', '--tag', `team=t${ESCAPES}`],
};

describe.each(Object.entries(COMMANDS))('%s', (_, words) => {
  it('prints no controls', async () => {
    const { out, err } = await run(...words());
    expect(out + err).not.toBe('');
    expect(out + err).not.toMatch(CONTROLS);
  });

  it('prints no controls with --json, and the same values', async () => {
    const { out, err } = await run(...words(), '--json');
    expect(out + err).not.toMatch(CONTROLS);
    for (const line of out.trim().split('\n').filter(Boolean).slice(0, 1))
      if (/^[[{].*[\]}]$/.test(line)) expect(() => JSON.parse(line)).not.toThrow();
  });
});

it('with --json, the texts of a job come back as they are', async () => {
  const { out } = await run('show', id, '--json');
  expect(JSON.stringify(JSON.parse(out))).toContain(JSON.stringify(ESCAPES).slice(1, -1));
});

it('of an import are reported without controls', async () => {
  const { out, err } = await onSystem(['import', 'crontab', '-'], {
    input: `* * * * * echo ${ESCAPES}\nx${ESCAPES}\n`,
  });
  expect(out + err).not.toBe('');
  expect(out + err).not.toMatch(CONTROLS);
});
