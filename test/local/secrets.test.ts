// A secret's value, used in every way a job can use it, is looked for in everything that a run leaves behind: the database
// and its files, log lines and answers of the API.
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';
import { isolatedHere } from '../support/script-workers.ts';

const VALUE = 'tok_9f8e7d6c5b4a39281706';
const PASSWORD = 'pw_0a1B2c3D4e5F6789';
const PAIR = `alice:${PASSWORD}`;
const BASIC = `Basic ${Buffer.from(PAIR).toString('base64')}`;
const formsOf = (value: string): string[] => [
  value,
  value.slice(0, 8),
  value.slice(-8),
  value.toUpperCase(),
  value.toLowerCase(),
  ...['', 'x', 'xy'].map((before) =>
    Buffer.from(before + value)
      .toString('base64')
      .slice(4, 20),
  ),
  Buffer.from(value, 'utf16le').toString('base64').slice(0, 16),
  Buffer.from(value).toString('hex'),
  [...value].map((character) => `&#${character.charCodeAt(0)};`).join(''),
];
const FORMS = [VALUE, PASSWORD, BASIC.slice(6)].flatMap(formsOf);
/** What a careless receiver says of a token. */
const echoed = (token: string): string => {
  const pair = Buffer.from(token, 'base64').toString();
  return [
    ...[token, token.toUpperCase(), token.toLowerCase(), JSON.stringify({ token })],
    ...['', 'x', 'xy'].map((before) => Buffer.from(before + token).toString('base64')),
    Buffer.from(token, 'utf16le').toString('base64'),
    Buffer.from(token).toString('hex'),
    [...token].map((character) => `&#${character.charCodeAt(0)};`).join(''),
    ...(pair.includes(':') ? [pair, pair.split(':')[1], pair.toUpperCase()] : []),
  ].join(' ');
};

const isolated = await isolatedHere();
const isRoot = process.getuid?.() === 0;
/** Scripts of root are isolated or refused: without bwrap there are none to look at. */
const hasScripts = isolated || !isRoot;

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
/** What the receiver saw: proof that the value was really used. */
const got: string[] = [];
/** The notifications. */
const told: string[] = [];
const echo = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.url === '/told') {
    told.push(body);
    return response.end();
  }
  got.push(`${request.headers.authorization} ${body}`);
  const parameters = new URL(request.url ?? '/', 'http://x').searchParams;
  const scheme = parameters.get('form');
  if (scheme !== null) {
    const all = echoed(request.headers.authorization?.split(' ')[1] ?? '').split(' ');
    response.writeHead(Number(parameters.get('status')), { 'content-type': `text/plain; x=${all[0]}` });
    return response.end(all[Number(scheme)] ?? '');
  }
  const status = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('status') ?? 200);
  response.writeHead(status).end(`you said ${request.headers.authorization} and ${body}`);
});

beforeAll(async () => {
  folder = temporaryFolder();
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  writeFileSync(
    join(folder.path, 'secrets.json'),
    JSON.stringify({ me: { token: VALUE, bearer: `Bearer ${VALUE}`, basic: BASIC, ...urls() }, you: {} }),
  );
  const scripts: Record<string, string> = isolated || isRoot ? {} : { PUNCTUAL_SCRIPTS: 'trusted' };
  local = await startLocal(folder.path, { PUNCTUAL_LOG: 'debug', ...scripts });
});
afterAll(async () => {
  await local.stop();
  echo.closeAllConnections();
  echo.close();
  folder.remove();
});

/** URLs that are secrets, of which the normalised form without the query is another text. */
const urls = (): Record<string, string> => {
  const { port } = echo.address() as AddressInfo;
  const all = [
    `http://127.0.0.1:${port}/services/T000/B000/WEBHOOKsecretXYZ?wait=true&status=500`,
    `http://127.0.0.1:${port}/bot123456:TELEGRAMtoken99/sendMessage?chat_id=5&status=500`,
    `http://127.0.0.1:${port}/services/T000/WEBHOOKsecretXYZ?status=500#f`,
    `http://127.0.0.1:${port}/a/../services/T000/WEBHOOKsecretXYZ?status=500`,
    `http://127.1:${port}/services/T000/WEBHOOKsecretXYZ?status=500`,
    `HTTP://127.0.0.1:0${port}/services/T000/WEBHOOK%73ecretXYZ?status=500`,
  ];
  return Object.fromEntries(all.map((text, at) => [`url${at}`, text]));
};
const secret = { $secret: 'token' };
const url = (status: number) => `http://127.0.0.1:${(echo.address() as AddressInfo).port}/?status=${status}`;
const once1 = { retry: { maxAttempts: 1 } };
const ALL_JOBS = {
  sent: { task: 'http', params: { url: '', headers: { Authorization: secret }, body: { key: secret } } },
  refused: { task: 'http', params: { url: '', headers: { Authorization: secret }, body: secret }, ...once1 },
  returned: { task: 'noop', params: { result: { deep: [secret] } } },
  printed: {
    task: 'script',
    params: {
      language: 'shell',
      source: 'echo "$T"; echo "$T" | base64; exit 0',
      environment: { T: secret },
    },
  },
  crashed: {
    task: 'script',
    params: { language: 'shell', source: 'echo "$1" >&2; exit 3', args: [secret] },
    ...once1,
  },
  misfit: { task: 'sns', params: { topicArn: secret, message: 'x' }, ...once1 },
};
const JOBS = Object.fromEntries(
  Object.entries(ALL_JOBS).filter(([, job]) => hasScripts || job.task !== 'script'),
);

describe('the value of a secret', () => {
  const answers: string[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await local.as('me')(method, path, body);
    answers.push(JSON.stringify([...answer.headers, answer.body]));
    return answer;
  };

  it('is used by the runs, and stands nowhere afterwards', async () => {
    const ids: Record<string, string> = {};
    for (const [name, job] of Object.entries(JOBS)) {
      const status = name === 'refused' ? 500 : 200;
      const params = 'url' in job.params ? { ...job.params, url: url(status) } : job.params;
      const { status: created, body } = await call('POST', '/jobs', { ...job, name, params });
      expect([name, created]).toEqual([name, 201]);
      ids[name] = body.id;
    }
    const ends: Record<string, { status: string; result?: unknown; error?: { message: string } }> = {};
    await expect
      .poll(
        async () => {
          const { body } = await call('GET', '/executions?limit=100');
          for (const [name, id] of Object.entries(ids))
            ends[name] = body.items.find((item: { jobId: string }) => item.jobId === id);
          return Object.values(ends).filter((end) => /succeeded|failed/.test(end?.status ?? '')).length;
        },
        { timeout: 20_000, interval: 200 },
      )
      .toBe(Object.keys(JOBS).length);

    // it was really used, and the places where it would have stood say so
    expect(got).toContain(`${VALUE} {"key":"${VALUE}"}`);
    expect(got).toContain(`${VALUE} ${VALUE}`);
    expect(ends).toMatchObject({
      sent: { status: 'succeeded', result: { body: 'you said [secret token] and {"key":"[secret token]"}' } },
      refused: {
        status: 'failed',
        error: { message: expect.stringContaining('body: you said [secret token]') },
      },
      returned: { status: 'succeeded', result: { deep: ['[secret token]'] } },
      ...(hasScripts && {
        printed: { status: 'succeeded', result: { stdout: expect.stringMatching(/^\[secret token\]\n/) } },
        crashed: { status: 'failed', error: { message: expect.stringContaining('[secret token]') } },
      }),
      misfit: { status: 'failed', error: { message: 'params are not valid for the task "sns": topicArn' } },
    });

    for (const path of [
      '/jobs',
      '/dead-letters',
      ...Object.values(ids).flatMap((id) => [`/jobs/${id}`, `/jobs/${id}/executions`]),
    ])
      await call('GET', path);
    const left = { answers: answers.join('\n'), log: local.output(), ...everythingStored() };
    expect(left.tables).toContain('$secret'); // the reference is what is stored
    expect(left.tables).toContain('[secret token]');
    expect(left.files).toContain('$secret');
    for (const [where, text] of Object.entries(left))
      for (const form of FORMS) expect([where, text.includes(form)]).toEqual([where, false]);
  });

  it('stands nowhere either if a receiver echoes it without its scheme, decoded, or in other forms', async () => {
    const forms = [...Array(13).keys()];
    const { port } = echo.address() as AddressInfo;
    const sent = ['bearer', 'basic'].flatMap(($secret) =>
      forms.flatMap((form) => [200, 500].map((status) => ({ $secret, form, status }))),
    );
    const ids = [];
    for (const { $secret, form, status } of sent) {
      const params = {
        url: `http://127.0.0.1:${port}/?status=${status}&form=${form}`,
        headers: { Authorization: { $secret } },
      };
      const notify = [{ on: ['failed', 'succeeded'], webhook: { url: `http://127.0.0.1:${port}/told` } }];
      const { status: created, body } = await call('POST', '/jobs', {
        task: 'http',
        params,
        notify,
        ...once1,
      });
      expect([created, body]).toEqual([201, expect.anything()]);
      ids.push(body.id);
    }
    await expect.poll(() => told.length, { timeout: 30_000, interval: 200 }).toBe(sent.length);
    for (const id of ids) {
      await call('GET', `/jobs/${id}/executions`);
      await call('GET', `/jobs/${id}/explain`);
    }
    for (const path of ['/executions?limit=100', '/dead-letters', '/dead-letters/groups?by=error'])
      await call('GET', path);
    const left = {
      told: told.join('\n'),
      answers: answers.join('\n'),
      log: local.output(),
      ...everythingStored(),
    };
    expect(left.told).toContain('[secret basic]');
    expect(left.tables).toContain('[secret bearer]');
    for (const [where, text] of Object.entries(left))
      for (const form of FORMS) expect([where, form, text.includes(form)]).toEqual([where, form, false]);
  });

  it('stands nowhere either if it is a URL, which errors name in their own words', async () => {
    const ids = [];
    for (const name of Object.keys(urls())) {
      const job = { task: 'http', params: { url: { $secret: name } }, ...once1 };
      ids.push((await call('POST', '/jobs', job)).body.id);
    }
    for (const id of ids) {
      const read = async () => (await call('GET', `/jobs/${id}/executions`)).body.items[0];
      await expect.poll(read, { timeout: 20_000, interval: 200 }).toMatchObject({
        status: 'failed',
        error: { message: expect.stringMatching(/^GET .*\[secret url\d\] returned 500; expected 2xx/) },
      });
    }
    for (const path of ['/executions?limit=100', '/dead-letters', '/dead-letters/groups?by=error'])
      await call('GET', path);
    const left = { answers: answers.join('\n'), log: local.output(), ...everythingStored() };
    for (const [where, text] of Object.entries(left))
      for (const part of ['WEBHOOKsecretXYZ', 'TELEGRAMtoken99', 'T000', 'bot123456'])
        expect([where, part, text.includes(part)]).toEqual([where, part, false]);
  });

  it('of another user, or that is not there, is refused by its name and not tried again', async () => {
    const { body } = await local.as('you')('POST', '/jobs', { task: 'noop', params: { result: secret } });
    await expect
      .poll(async () => (await local.as('you')('GET', `/jobs/${body.id}/executions`)).body.items[0], {
        timeout: 10_000,
      })
      .toMatchObject({
        status: 'failed',
        attempt: 1,
        error: { message: expect.stringContaining('no secret "token"') },
      });
  });
});

/** Every row of every table, stored queues included, and the bytes of the files. Deleted rows may still be in the bytes. */
function everythingStored(): { tables: string; files: string } {
  const db = new DatabaseSync(join(folder.path, 'punctual.db'), { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.map(({ name }) => db.prepare(`SELECT * FROM "${name}"`).all());
  db.close();
  const files = readdirSync(folder.path)
    .filter((name) => name.startsWith('punctual.db'))
    .map((name) => readFileSync(join(folder.path, name), 'latin1'));
  return { tables: JSON.stringify(rows), files: files.join('\n') };
}
