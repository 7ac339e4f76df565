import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRecipients } from '../../src/tasks/aws/recipients.ts';
import { httpParams } from '../../src/tasks/http/http-params.ts';
import { noop } from '../../src/tasks/noop.ts';
import { builtinTasks, describeOnlyServices } from '../../src/tasks/registry.ts';
import { checkParams } from '../../src/tasks/secrets/secrets.ts';
import { DoNotRetry } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';

describe('the built-in tasks', () => {
  it('are found by their names', () => {
    expect([...builtinTasks().keys()]).toEqual([
      ...['http', 'noop', 'lambda', 'sqs', 'sns', 'eventbridge', 'email', 'script', 'container'],
    ]);
    expect([...builtinTasks(undefined, ['noop', 'sqs']).keys()]).toEqual(['noop', 'sqs']);
    for (const [name, task] of builtinTasks()) expect(task.name).toBe(name);
  });

  it.each([...builtinTasks().values()])(
    '$name describes every parameter in JSON Schema and refuses unknown ones',
    (task) => {
      const schema = z.toJSONSchema(task.params, { io: 'input' }) as {
        properties: Record<string, { description?: string }>;
        additionalProperties: boolean;
      };
      expect(schema.additionalProperties).toBe(false);
      for (const property of Object.values(schema.properties)) expect(property.description).toBeTruthy();
    },
  );

  it('have an example in the docs each, and its params are right', () => {
    const docs = readFileSync(new URL('../../docs/tasks.md', import.meta.url), 'utf8');
    const examples = [...docs.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text));
    const all = builtinTasks(describeOnlyServices(createRecipients(['*@example.com'])));
    const shown = examples.map(({ task, params }) => {
      expect(checkParams(all.get(task) ?? expect.fail(task), params)).toEqual([]);
      return task;
    });
    expect([...shown, 'noop'].sort()).toEqual([...builtinTasks().keys()].sort());
  });

  it('can be described without anything to run them with, and say so when they are run', async () => {
    const sqs = builtinTasks().get('sqs');
    await expect(sqs?.run(taskContext({ queueUrl: 'https://sqs.example/1/q', body: 'x' }))).rejects.toThrow(
      'this process describes tasks',
    );
  });
});

describe('http parameters', () => {
  const url = 'https://example.com/hook';

  it.each([
    [{ url: 'http://127.0.0.1:8080/a?b=c' }],
    [
      {
        url,
        method: 'DELETE',
        headers: { 'X-A': '' },
        expectedStatuses: [200, '2xx', '404-410'],
        timeoutSeconds: 0.5,
      },
    ],
    [{ url, body: null }],
  ])('accepts %j', (params) => {
    expect(httpParams.parse(params)).toEqual(params);
  });

  it.each([
    [{}, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: '/relative' }, 'url'],
    [{ url: 'https://user:pw@example.com' }, 'url'],
    [{ url: `${url}/${'x'.repeat(5000)}` }, 'url'],
    [{ url, method: 'TRACE' }, 'method'],
    [{ url, method: 'post' }, 'method'],
    [{ url, method: 'GET', body: {} }, 'body'],
    [{ url, headers: { 'bad name': 'x' } }, 'headers.bad name'],
    [{ url, headers: { 'X-A': 'line\r\nbreak' } }, 'headers.X-A'],
    [{ url, headers: { 'Idempotency-Key': 'mine' } }, 'headers'],
    [{ url, headers: { 'Content-Length': '3' } }, 'headers'],
    [{ url, expectedStatuses: [] }, 'expectedStatuses'],
    [{ url, expectedStatuses: [99] }, 'expectedStatuses.0'],
    [{ url, expectedStatuses: ['200-'] }, 'expectedStatuses.0'],
    [{ url, expectedStatuses: ['299-200'] }, 'expectedStatuses.0'],
    [{ url, expectedStatuses: ['6xx'] }, 'expectedStatuses.0'],
    [{ url, timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ url, timeoutSeconds: 301 }, 'timeoutSeconds'],
    [{ url, retries: 3 }, ''],
  ])('refuses %j and names %j', (params, path) => {
    const { error } = httpParams.safeParse(params);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });
});

describe('noop', () => {
  it('returns the result it was given, after the time it was given', async () => {
    const start = performance.now();
    await expect(noop.run(taskContext({ durationMs: 30, result: { a: 1 } }))).resolves.toEqual({ a: 1 });
    expect(performance.now() - start).toBeGreaterThan(28);
    await expect(noop.run(taskContext({}))).resolves.toBeUndefined();
  });

  it('fails in its first attempts and then succeeds', async () => {
    const outcomes = [1, 2, 3].map((attempt) =>
      noop.run(taskContext({ failTimes: 2, result: 'ok' }, { attempt })),
    );
    await expect(Promise.allSettled(outcomes)).resolves.toMatchObject([
      { status: 'rejected' },
      { status: 'rejected' },
      { status: 'fulfilled', value: 'ok' },
    ]);
  });

  it('fails for good when told so', async () => {
    await expect(noop.run(taskContext({ fail: true }))).rejects.toBeInstanceOf(DoNotRetry);
  });

  it('stops waiting when told to, with the reason it was given', async () => {
    const stop = new AbortController();
    const running = noop.run(taskContext({ durationMs: 60_000 }, { signal: stop.signal }));
    const reason = new Error('timeout');
    stop.abort(reason);
    await expect(running).rejects.toBe(reason);
  });
});
