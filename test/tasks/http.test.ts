import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressRules } from '../../src/tasks/http/addresses.ts';
import { guardedAgent } from '../../src/tasks/http/guarded-connect.ts';
import { HostLimiter } from '../../src/tasks/http/host-limiter.ts';
import { httpTask, KEPT_BODY_BYTES, retryAfterSeconds } from '../../src/tasks/http/http.ts';
import { type HttpParams, httpParams } from '../../src/tasks/http/http-params.ts';
import { RetryAfter, type TaskContext } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = (request: Seen, response: ServerResponse) => void;

let origin = '';
let otherOrigin = '';
let answer: Answer;
let seen: Seen[] = [];
const closed: Promise<unknown>[] = [];

const listen = async () => {
  const server = createServer(async (request, response) => {
    closed.push(once(response, 'close'));
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body });
    answer({ method, url, headers, body }, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
const servers: Awaited<ReturnType<typeof listen>>[] = [];
const originOf = (server: (typeof servers)[number]) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  servers.push(await listen(), await listen());
  [origin = '', otherOrigin = ''] = servers.map(originOf);
});
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});
beforeEach(() => {
  seen = [];
  closed.length = 0;
  answer = (_, response) => response.end('ok');
});

const http = httpTask(() => ({
  dispatcher: guardedAgent(addressRules({ loopback: true })),
  hostLimiter: new HostLimiter({ perHost: 25 }),
}));

const run = (params: Record<string, unknown>, more: Partial<TaskContext<HttpParams>> = {}) =>
  http.run(taskContext(httpParams.parse({ url: `${origin}/hook?key=secret`, ...params }), more));

const answering = (status: number, body = '', headers: Record<string, string> = {}): Answer => {
  return (_, response) => response.writeHead(status, headers).end(body);
};

describe('the request', () => {
  it('is a GET without a body and a POST with one', async () => {
    await run({});
    await run({ body: { a: 1 } });
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ['GET', ''],
      ['POST', '{"a":1}'],
    ]);
  });

  it('sends JSON as application/json and text as it is', async () => {
    await run({ body: [1, null] });
    await run({ body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
    await run({ body: 'hello', method: 'PUT' });
    expect(seen.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['application/json', '[1,null]'],
      ['application/x-www-form-urlencoded', 'a=1'],
      ['text/plain;charset=UTF-8', 'hello'],
    ]);
  });

  it('says which execution and attempt it is, the same idempotency key for each attempt', async () => {
    await run({ headers: { 'X-Team': 'billing' } }, { attempt: 2 });
    expect(seen[0]?.headers).toMatchObject({
      'idempotency-key': 'job_aaaaaaaaaaaaaaaaaaaa.1796119200000',
      'punctual-execution': 'job_aaaaaaaaaaaaaaaaaaaa.1796119200000',
      'punctual-attempt': '2',
      'punctual-due': '2026-12-01T10:00:00.000Z',
      'punctual-fence': '7',
      'user-agent': 'punctual',
      'x-team': 'billing',
    });
  });
});

describe('the answer', () => {
  it('gives status, content type and body as the result', async () => {
    answer = answering(201, '{"id":1}', { 'content-type': 'application/json', 'x-other': '1' });
    await expect(run({})).resolves.toEqual({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: '{"id":1}',
      truncated: false,
    });
  });

  it.each([
    [204, undefined, true],
    [302, [302], true],
    [404, ['2xx', 404], true],
    [404, ['4xx'], true],
    [250, ['200-250'], true],
    [251, ['200-250'], false],
    [200, [204], false],
    [500, undefined, false],
    [404, undefined, false],
  ])('status %i with expected %j is a success: %s', async (status, expectedStatuses, success) => {
    answer = answering(status, '', status === 302 ? { location: '/elsewhere' } : {});
    const outcome = run({ expectedStatuses });
    if (success) await expect(outcome).resolves.toMatchObject({ status });
    else await expect(outcome).rejects.toMatchObject({ name: 'UnexpectedStatus' });
    expect(seen).toHaveLength(1);
  });

  it('names status, expectation and the start of the body when unexpected, and keeps the query to itself', async () => {
    answer = answering(500, `database is down ${'x'.repeat(5000)}`);
    const error = await run({ expectedStatuses: ['2xx', 304] }).catch((e: Error) => e);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^GET http:\S+\/hook returned 500; expected 2xx, 304; body: database is down x+…$/,
      ),
    });
    expect((error as Error).message.length).toBeLessThan(400);
  });

  it('keeps the first kilobyte, without half a character at the end', async () => {
    answer = answering(200, '€'.repeat(1000)); // 3 bytes each: 1024 cuts the 342nd
    const { body, truncated } = (await run({})) as { body: string; truncated: boolean };
    expect([body, truncated]).toEqual(['€'.repeat(341), true]);
    answer = answering(200, 'x'.repeat(KEPT_BODY_BYTES));
    await expect(run({})).resolves.toMatchObject({ body: 'x'.repeat(KEPT_BODY_BYTES), truncated: false });
  });

  it('stops reading an endless answer and closes the connection', async () => {
    let sent = 0;
    answer = (_, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += 16_384;
          if (!response.write('y'.repeat(16_384))) break;
        }
      };
      response.on('drain', more);
      more();
    };
    await expect(run({})).resolves.toMatchObject({ body: 'y'.repeat(1024), truncated: true });
    await closed[0];
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('Retry-After', () => {
  it.each([429, 503])('of a %i is when it is tried again', async (status) => {
    answer = answering(status, 'busy', { 'retry-after': '17' });
    const error = await run({}).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(RetryAfter);
    expect(error).toMatchObject({ seconds: 17, message: expect.stringContaining(`returned ${status}`) });
  });

  it('of another status, or when the status was expected, changes nothing', async () => {
    answer = answering(500, '', { 'retry-after': '17' });
    await expect(run({})).rejects.toMatchObject({ name: 'UnexpectedStatus' });
    answer = answering(503, '', { 'retry-after': '17' });
    await expect(run({ expectedStatuses: [503] })).resolves.toMatchObject({ status: 503 });
  });

  it.each([
    ['120', 120],
    ['99999999', 86_400],
    ['0', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    ['Tue, 01 Dec 2026 10:01:30 GMT', 90],
    ['Tue, 01 Dec 2026 09:00:00 GMT', undefined],
    ['Tue, 01 Dec 2036 09:00:00 GMT', 86_400],
  ])('%j counts as %s seconds, a date against the date of the answer', (value, seconds) => {
    const headers = new Headers({ 'retry-after': value, date: 'Tue, 01 Dec 2026 10:00:00 GMT' });
    expect(retryAfterSeconds(headers)).toBe(seconds);
  });
});

describe('no answer', () => {
  it('names the code of a refused connection', async () => {
    const server = await listen();
    const gone = originOf(server);
    server.close();
    await once(server, 'close');
    await expect(run({ url: `${gone}/x` })).rejects.toMatchObject({
      name: 'NoAnswer',
      message: expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/x: .*ECONNREFUSED/),
    });
  });

  it('names what went wrong when the server hangs up, before or amid the answer', async () => {
    answer = (_, response) => response.destroy();
    await expect(run({})).rejects.toMatchObject({
      name: 'NoAnswer',
      message: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/),
    });
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.destroy(), 10);
    };
    await expect(run({})).rejects.toMatchObject({
      name: 'NoAnswer',
      message: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/),
    });
  });

  it('gives up after its timeout, whether the headers or the body are missing', async () => {
    answer = () => {};
    await expect(run({ timeoutSeconds: 0.03 })).rejects.toThrow(/hook: no response within 0.03 s$/);
    answer = (_, response) => response.writeHead(200).write('some');
    await expect(run({ timeoutSeconds: 0.03 })).rejects.toMatchObject({ name: 'NoAnswer' });
  });

  it('stops at once when told to, with the reason it was given', async () => {
    const stop = new AbortController();
    const reason = new Error('the job was cancelled');
    answer = () => stop.abort(reason);
    await expect(run({}, { signal: stop.signal })).rejects.toBe(reason);
    await closed[0];
    await expect(run({}, { signal: stop.signal })).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
  });
});

describe('redirects', () => {
  const redirecting =
    (times: number, status = 302, to = (n: number) => `/step/${n}`): Answer =>
    ({ url }, response) => {
      const step = Number(url?.split('/').at(-1)) || 0;
      if (step >= times) response.end('arrived');
      else response.writeHead(status, { location: to(step + 1) }).end('go on');
    };

  it('are followed up to five times, then given up with the last address', async () => {
    answer = redirecting(5);
    await expect(run({})).resolves.toMatchObject({ status: 200, body: 'arrived' });
    expect(seen).toHaveLength(6);
    seen = [];
    answer = redirecting(Number.POSITIVE_INFINITY);
    await expect(run({})).rejects.toThrow('is redirect 6, to /step/6; at most 5 are followed');
    expect(seen).toHaveLength(6);
  });

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [302, 'PUT', 'PUT', '{"a":1}'],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', '{"a":1}'],
    [308, 'PATCH', 'PATCH', '{"a":1}'],
  ])('%i turns a %s into a %s', async (status, method, next, body) => {
    answer = redirecting(1, status);
    await run({ method, body: { a: 1 } });
    expect(seen[1]).toMatchObject({ method: next, body });
    expect(seen[1]?.headers['content-type']).toBe(body ? 'application/json' : undefined);
  });

  it('carry the job’s headers within an origin, and none of its secrets to another', async () => {
    const headers = { Authorization: 'Bearer t', 'X-Api-Key': 'k', Accept: 'text/plain' };
    answer = redirecting(1);
    await run({ headers });
    expect(seen[1]?.headers).toMatchObject({ authorization: 'Bearer t', 'x-api-key': 'k' });

    seen = [];
    answer = redirecting(1, 307, () => `${otherOrigin}/step/1`);
    await run({ headers });
    expect(seen[1]?.headers).toMatchObject({ accept: 'text/plain', 'punctual-attempt': '1' });
    expect(seen[1]?.headers).not.toHaveProperty('authorization');
    expect(seen[1]?.headers).not.toHaveProperty('x-api-key');
  });

  it.each([
    [301, 'PUT'],
    [302, 'PATCH'],
    [307, 'POST'],
    [307, 'DELETE'],
    [308, 'PUT'],
  ])(
    '%i of a %s does not carry the body to another origin, also by way of its own',
    async (status, method) => {
      const elsewhere = [
        () => `${otherOrigin}/step/1`,
        (n: number) => (n === 1 ? '/step/1' : `${otherOrigin}/step/2`),
      ];
      for (const to of elsewhere) {
        seen = [];
        answer = redirecting(2, status, to);
        await expect(run({ method, body: { card: '4111' } })).rejects.toMatchObject({
          name: 'UnexpectedStatus',
          message: `redirect ${status} to another origin, ${otherOrigin}, was not followed: the body of a ${method} is not sent there; use that URL in the job`,
        });
        expect(seen.map(({ headers }) => `http://${headers.host}`)).not.toContain(otherOrigin);
      }
    },
  );

  it.each([
    [303, 'POST', 'GET'],
    [302, 'POST', 'GET'],
  ])('%i of a %s leads to another origin as a %s without a body', async (status, method, next) => {
    answer = redirecting(1, status, () => `${otherOrigin}/step/1`);
    await run({ method, body: { card: '4111' } });
    expect(seen[1]).toMatchObject({ method: next, body: '' });
  });

  it('to anything but http and https are refused', async () => {
    answer = answering(302, '', { location: 'file:///etc/passwd' });
    await expect(run({})).rejects.toThrow(
      'redirect to "file:///etc/passwd" was not followed; only http and https',
    );
    answer = answering(302, '', { location: 'http://' });
    await expect(run({})).rejects.toMatchObject({ name: 'UnexpectedStatus' });
  });

  it('without a location are an answer like any other', async () => {
    answer = answering(302);
    await expect(run({})).rejects.toThrow('returned 302; expected 2xx');
  });
});
