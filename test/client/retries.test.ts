// Retries and errors of the client if the network or the server fails.
import { describe, expect, it } from 'vitest';
import { PunctualApiError, PunctualNetworkError } from '../../src/client/client.ts';
import { clientOn, connectionLost, json, problem } from './fakes.ts';

const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable('it should have failed'),
    (error) => error,
  );

describe('a create', () => {
  it('is retried after a network error with the same key and body, so that one job is created', async () => {
    const { client, sent, slept } = clientOn([
      connectionLost(),
      connectionLost(),
      json(201, { id: 'job_1' }),
    ]);
    expect(await client.jobs.create({ task: 'noop' })).toEqual({ id: 'job_1' });
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(slept).toEqual([200, 400]);
  });

  it('waits for the Retry-After of a 429', async () => {
    const { client, sent, slept } = clientOn([problem(429, { 'retry-after': '7' }), json(201, { id: 'a' })]);
    await client.jobs.create({ task: 'noop' });
    expect(sent).toHaveLength(2);
    expect(slept).toEqual([7000]);
  });

  it('is not retried after a 429 of a quota without Retry-After', async () => {
    const { client, sent } = clientOn([problem(429)]);
    expect(await failure(client.jobs.create({ task: 'noop' }))).toMatchObject({ status: 429, attempts: 1 });
    expect(sent).toHaveLength(1);
  });

  it('uses its own backoff for a 429 of a gateway without Retry-After', async () => {
    const { client, slept } = clientOn([json(429, { message: 'Too Many Requests' }), json(201, { id: 'a' })]);
    await client.jobs.create({ task: 'noop' });
    expect(slept).toEqual([200]);
  });

  it('parses a date in Retry-After', async () => {
    const { client, slept } = clientOn([
      problem(503, { 'retry-after': 'Mon, 16 Nov 2026 00:00:09 GMT' }),
      json(201, { id: 'a' }),
    ]);
    await client.jobs.create({ task: 'noop' });
    expect(slept).toEqual([9000]);
  });

  it('is not retried if Retry-After exceeds the maximum; the error has the delay', async () => {
    const { client, slept } = clientOn([problem(429, { 'retry-after': '3600' })]);
    expect(await failure(client.jobs.create({ task: 'noop' }))).toMatchObject({
      status: 429,
      retryAfterMs: 3_600_000,
    });
    expect(slept).toEqual([]);
  });

  it('fails after maxAttempts, with growing and bounded delays', async () => {
    const { client, sent, slept } = clientOn([problem(500)], { retry: { maxAttempts: 7, maxDelayMs: 2000 } });
    expect(await failure(client.jobs.create({ task: 'noop' }))).toMatchObject({ status: 500, attempts: 7 });
    expect(sent).toHaveLength(7);
    expect(slept).toEqual([200, 400, 800, 1600, 2000, 2000]);
  });

  it('randomises half of each delay', async () => {
    const { client, slept } = clientOn([connectionLost(), json(201, {})], { random: () => 0 });
    await client.jobs.create({ task: 'noop' });
    expect(slept).toEqual([100]);
  });

  it.each([400, 401, 404, 409, 412, 413, 422])('is not repeated after %i', async (status) => {
    const { client, sent } = clientOn([problem(status)]);
    expect(await failure(client.jobs.create({ task: 'noop' }))).toMatchObject({ status, attempts: 1 });
    expect(sent).toHaveLength(1);
  });

  it('uses the given idempotency key', async () => {
    const { client, sent } = clientOn([json(201, {})]);
    await client.jobs.create({ task: 'noop' }, { idempotencyKey: 'order-4711' });
    expect(sent[0]?.headers.get('idempotency-key')).toBe('order-4711');
  });
});

describe('requests that are not idempotent', () => {
  const starts = {
    run: (client: ReturnType<typeof clientOn>['client']) => client.jobs.run('job_1'),
    retry: (client: ReturnType<typeof clientOn>['client']) => client.executions.retry('job_1.1'),
    redrive: (client: ReturnType<typeof clientOn>['client']) =>
      client.deadLetters.redrive({ jobId: 'job_1' }),
    'edit without ifMatch': (client: ReturnType<typeof clientOn>['client']) =>
      client.jobs.edit('job_1', { schedule: { in: 'PT1S' } }),
  };

  it.each(Object.entries(starts))('%s is sent once when no answer comes', async (_, start) => {
    const { client, sent } = clientOn([connectionLost()]);
    const error = await failure(start(client));
    expect(error).toBeInstanceOf(PunctualNetworkError);
    expect(String(error)).toMatch(/read ECONNRESET; it is unknown whether the server handled the request$/);
    expect(sent).toHaveLength(1);
  });

  it.each(Object.entries(starts))('%s is sent once when the server fails', async (_, start) => {
    const { client, sent } = clientOn([problem(503, { 'retry-after': '1' })]);
    expect(await failure(start(client))).toMatchObject({ status: 503, retryAfterMs: 1000 });
    expect(sent).toHaveLength(1);
  });

  it.each(Object.entries(starts))('%s is repeated after 429: nothing was done', async (_, start) => {
    const { client, sent } = clientOn([problem(429, { 'retry-after': '1' }), json(202, { id: 'x' })]);
    await start(client);
    expect(sent).toHaveLength(2);
  });

  it('an edit with If-Match is retried, because it cannot happen twice', async () => {
    const { client, sent } = clientOn([connectionLost(), json(200, { id: 'x' })]);
    await client.jobs.edit('job_1', { name: 'n' }, { ifMatch: 2 });
    expect(sent.map(({ headers }) => headers.get('if-match'))).toEqual(['"2"', '"2"']);
  });
});

describe('idempotent requests', () => {
  it.each([502, 503, 504])('are repeated after %i', async (status) => {
    const { client, sent } = clientOn([problem(status), json(200, {})]);
    await client.jobs.get('job_1');
    expect(sent).toHaveLength(2);
  });

  it('are retried after a network error', async () => {
    const { client, sent } = clientOn([connectionLost(), json(200, {}), connectionLost(), json(200, {})]);
    await client.jobs.pause('job_1');
    await client.jobs.cancel('job_1');
    expect(sent).toHaveLength(4);
  });

  it('are retried if the response is cut off', async () => {
    const cut = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"id":'));
            controller.error(new TypeError('terminated'));
          },
        }),
      );
    const { client, sent } = clientOn([cut, json(200, { id: 'whole' })]);
    expect(await client.jobs.get('job_1')).toEqual({ id: 'whole' });
    expect(sent).toHaveLength(2);
  });

  it('read the token for each attempt', async () => {
    let asked = 0;
    const { client, sent } = clientOn([connectionLost(), json(200, {})], { token: () => `t${++asked}` });
    await client.jobs.get('job_1');
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('abort an attempt at its timeout and retry', async () => {
    const hangs = () => new Promise<Response>(() => {});
    const slow = { fetch: slowFetch(hangs, json(200, { id: 'a' })), attemptTimeoutMs: 20 };
    expect(await clientOn([], slow).client.jobs.get('job_1')).toEqual({ id: 'a' });
  });
});

/** The first response never arrives. The second arrives immediately. */
function slowFetch(first: () => Promise<Response>, second: Response): typeof fetch {
  let calls = 0;
  return ((_: unknown, init: RequestInit) => {
    calls++;
    if (calls > 1) return Promise.resolve(second);
    const aborted = new Promise<never>((_, reject) =>
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    );
    return Promise.race([first(), aborted]);
  }) as typeof fetch;
}

describe('abort', () => {
  it('ends a request with the reason of the signal, without a retry', async () => {
    const stop = new AbortController();
    const { client, sent } = clientOn([
      () => {
        stop.abort(new Error('the user left'));
        throw stop.signal.reason;
      },
    ]);
    expect(await failure(client.jobs.list({}, { signal: stop.signal }).page())).toBe(stop.signal.reason);
    expect(sent).toHaveLength(1);
  });

  it('ends the wait before the next attempt', async () => {
    const stop = new AbortController();
    const { client, sent } = clientOn([problem(503)], {
      clock: {
        now: () => 0,
        sleep: (_, signal) =>
          new Promise((_, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason));
            stop.abort(new Error('enough'));
          }),
      },
    });
    expect(await failure(client.jobs.get('job_1', { signal: stop.signal }))).toMatchObject({
      message: 'enough',
    });
    expect(sent).toHaveLength(1);
  });

  it('before the call sends nothing', async () => {
    const { client, sent } = clientOn([json(200, {})]);
    const gone = AbortSignal.abort();
    await failure(client.jobs.create({ task: 'noop' }, { signal: gone }));
    expect(sent).toHaveLength(0);
  });
});

describe('an error', () => {
  it('carries status, problem, field errors and the request id', async () => {
    const errors = [{ path: 'schedule.cron', message: 'has 4 fields' }];
    const { client } = clientOn([
      problem(400, {}, { title: 'Invalid input', detail: 'has 4 fields', errors }),
    ]);
    const error = await failure(client.jobs.create({ task: 'noop', schedule: { cron: '* * * *' } }));
    expect(error).toBeInstanceOf(PunctualApiError);
    expect(error).toMatchObject({
      message: '400 Invalid input: has 4 fields',
      status: 400,
      fieldErrors: errors,
      requestId: 'r1',
      problem: { type: 'urn:x', errors },
    });
  });

  it('has an excerpt of the page of a proxy', async () => {
    const page = new Response('<html>\n  <h1>Bad gateway</h1></html>', {
      status: 404,
      statusText: 'Not Found',
      headers: { 'content-type': 'text/html' },
    });
    expect(await failure(clientOn([page]).client.jobs.get('job_1'))).toMatchObject({
      message:
        '404 Not Found: the response is not from this API (text/html): <html> <h1>Bad gateway</h1></html>',
      problem: undefined,
      fieldErrors: [],
      requestId: undefined,
    });
  });

  it('is thrown for a success that is not JSON', async () => {
    const login = new Response('<html>Log in to the Wi-Fi</html>', { status: 200 });
    const { client, sent } = clientOn([login]);
    expect(await failure(client.jobs.get('job_1'))).toMatchObject({
      name: 'PunctualApiError',
      status: 200,
      message: expect.stringContaining('Log in to the Wi-Fi'),
    });
    expect(sent).toHaveLength(1);
  });

  it('has no problem if the JSON is not one, such as a 401 of a gateway', async () => {
    const { client } = clientOn([json(401, { message: 'Unauthorized' })]);
    expect(await failure(client.jobs.get('job_1'))).toMatchObject({
      status: 401,
      problem: undefined,
      message: expect.stringContaining('{"message":"Unauthorized"}'),
    });
  });
});
