import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_PROGRESS_TEXT } from '../../src/domain/executions/progress.ts';
import { builtinTasks } from '../../src/tasks/registry.ts';
import { secretPath, secretsManagerSecrets, ssmSecrets } from '../../src/tasks/secrets/secret-stores.ts';
import { checkParams, type Secrets, withSecrets } from '../../src/tasks/secrets/secrets.ts';
import { DoNotRetry, defineTask, RetryAfter, type Task, type TaskContext } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';
import { awsError, local, testServices } from '../support/task-services.ts';

const VALUE = 's3cr3t/value+"with quotes"';
const secrets: Secrets = {
  location: 'the test',
  read: async (userId, name) => (userId === 'user-1' && name === 'token' ? VALUE : undefined),
};

const params = z.strictObject({
  text: z.string().optional(),
  url: z.url().optional(),
  count: z.number().optional(),
  list: z.array(z.string()).optional(),
  deep: z.record(z.string(), z.unknown()).optional(),
});
type Params = z.infer<typeof params>;
const task = (run: (context: TaskContext<Params>) => Promise<unknown> = async (c) => c.params): Task =>
  withSecrets(
    new Map([['t', defineTask<Params>({ name: 't', description: 'd', params, run })]]),
    secrets,
  ).get('t') ?? expect.fail();
const reference = { $secret: 'token' };

describe('a job with references is checked when it is created', () => {
  const http = builtinTasks().get('http') ?? expect.fail();
  const t = defineTask<Params>({ name: 't', description: 'd', params, run: async () => {} });

  it.each([
    [{ text: reference }],
    [{ url: reference }],
    [{ list: ['a', reference] }],
    [{ deep: { a: [{ b: reference }] } }],
  ])('%j is accepted', (given) => expect(checkParams(t, given)).toEqual([]));

  it('also where a text must have a form', () => {
    const given = { url: reference, headers: { Authorization: reference }, body: { key: reference } };
    expect(checkParams(http, given, ['params'])).toEqual([]);
  });

  it.each([
    [{ count: reference }, 'params.count'],
    [{ text: { $secret: 5 } }, 'params.text'],
    [{ text: { $secret: '../other' } }, 'params.text'],
    [{ text: { $secret: 'user-2/token' } }, 'params.text'],
    [{ text: { $secret: '' } }, 'params.text'],
    [{ text: { $secret: 'token', more: 1 } }, 'params.text'],
    [{ unknown: reference }, 'params.unknown'],
    [{ text: reference, url: 'nope' }, 'params.url'],
  ])('%j is refused at %s', (given, path) => {
    expect(checkParams(t, given, ['params']).map((error) => error.path)).toEqual([path]);
  });
});

describe('a run', () => {
  it('gets the values in their places', async () => {
    let got: unknown;
    const seeing = task(async (context) => {
      got = context.params;
    });
    await seeing.run(taskContext({ text: reference, list: ['a', reference], deep: { x: { y: reference } } }));
    expect(got).toEqual({ text: VALUE, list: ['a', VALUE], deep: { x: { y: VALUE } } });
  });

  it('does not begin when a secret is missing, another’s, or not what the task takes', async () => {
    let ran = false;
    const never = task(async () => {
      ran = true;
    });
    const missing = never.run(taskContext({ text: { $secret: 'nope' } }));
    await expect(missing).rejects.toThrow('there is no secret "nope" of this user in the test');
    await expect(missing).rejects.toBeInstanceOf(DoNotRetry);
    const other = never.run(taskContext({ text: reference }, { userId: 'user-2' }));
    await expect(other).rejects.toThrow('there is no secret "token" of this user');
    const misfit = await never.run(taskContext({ url: reference })).catch((e: Error) => e.message);
    expect(misfit).toBe('params are not valid for the task "t": url');
    expect(ran).toBe(false);
  });

  it('without references tells what does not fit', async () => {
    await expect(task().run(taskContext({ url: 'x' }))).rejects.toThrow(
      'params are not valid for the task "t": url must be a URL, got "x"',
    );
  });

  it('leaves the value in no result, log line, checkpoint, progress or error', async () => {
    const seen: unknown[] = [];
    const say = (message: string, fields?: object) => void seen.push(message, fields);
    const leaky = task(async ({ params: { text = '' }, log, checkpoint, progress }) => {
      log.info(`the token is ${text}`, { header: `Bearer ${text}`, error: new Error(text) });
      log.warn('encoded', { url: encodeURIComponent(text), base64: Buffer.from(text).toString('base64') });
      await checkpoint({ text });
      progress(0.5, `${text}${text}`);
      return { text, json: JSON.stringify({ text }), [text]: 1, cut: `it said: ${text.slice(0, 9)}` };
    });
    const context = {
      log: { info: say, warn: say },
      checkpoint: async (value: unknown) => void seen.push(value),
      progress: (...report: unknown[]) => void seen.push(report),
    };
    seen.push(await leaky.run(taskContext({ text: reference }, context)));
    const all = JSON.stringify(seen);
    for (const part of ['s3cr3t', 's3cr', Buffer.from(VALUE).toString('base64')])
      expect(all).not.toContain(part);
    expect(all).toContain('Bearer [secret token]');
  });

  it('leaves a progress valid that its redaction makes longer, and passes an invalid one as it is', async () => {
    const reports: [number, string?][] = [];
    const short = defineTask<Params>({
      name: 't',
      description: 'd',
      params,
      async run({ params: { text = '' }, progress }) {
        progress(0, text.repeat(MAX_PROGRESS_TEXT));
        progress(1, 'x'.repeat(MAX_PROGRESS_TEXT + 1));
        progress(0.5);
      },
    });
    const one: Secrets = { location: 'the test', read: async () => '§' };
    const progress = (...report: [number, string?]) => void reports.push(report);
    const wrapped = withSecrets(new Map([['t', short]]), one).get('t') ?? expect.fail();
    await wrapped.run(taskContext({ text: reference }, { progress }));
    const [[, redacted = ''] = expect.fail(), ...others] = reports;
    expect(redacted).toHaveLength(MAX_PROGRESS_TEXT);
    expect(redacted).toMatch(/^\[secret token\]/);
    expect(redacted).not.toContain('§');
    expect(others).toEqual([
      [1, 'x'.repeat(MAX_PROGRESS_TEXT + 1)],
      [0.5, undefined],
    ]);
  });

  it.each([
    [new RetryAfter(7, `busy: ${VALUE}`)],
    [new DoNotRetry(`bad: ${VALUE}`)],
    [new Error(`outer ${VALUE}`, { cause: new Error(`inner ${VALUE}`) })],
  ])('an error keeps its kind: %s', async (thrown) => {
    const failing = task(async () => Promise.reject(thrown));
    const error = await failing.run(taskContext({ text: reference })).catch((e: unknown) => e);
    expect(error).toBe(thrown);
    expect([thrown.message, thrown.stack, String(thrown.cause)].join()).not.toContain('s3cr3t');
    expect(thrown.message).toContain('[secret token]');
  });

  it('a reason to stop passes as it is', async () => {
    const stop = new AbortController();
    const reason = new Error('timeout');
    stop.abort(reason);
    const stopping = task(async ({ signal }) => signal.throwIfAborted());
    await expect(stopping.run(taskContext({ text: reference }, { signal: stop.signal }))).rejects.toBe(
      reason,
    );
  });
});

describe('where secrets are on AWS', () => {
  const manager = mockClient(SecretsManagerClient);
  const parameters = mockClient(SSMClient);
  beforeEach(() => {
    manager.reset();
    parameters.reset();
  });
  const { aws } = testServices({
    secretsManager: new SecretsManagerClient(local),
    ssm: new SSMClient(local),
  });

  it('each user has a folder of their own that no id and no name leads out of', () => {
    const users = ['a', 'a/b', 'a.2fb', 'A', '..', 'a|b', 'ä', ''];
    const paths = users.map((user) => secretPath('punctual', user, 'x'));
    expect(new Set(paths).size).toBe(users.length);
    for (const path of paths) expect(path).toMatch(/^punctual\/[\w.-]*\/x$/);
    expect(secretPath('punctual', 'auth0|a/b', 'x')).toBe('punctual/auth0.7ca.2fb/x');
  });

  it('Secrets Manager is asked once a minute, and not at all for what is known not to be there', async () => {
    manager.on(GetSecretValueCommand).resolves({ SecretString: 'v' });
    const store = secretsManagerSecrets(aws, 'punctual');
    await store.read('alice', 'token');
    await expect(store.read('alice', 'token')).resolves.toBe('v');
    await store.read('bob', 'token');
    expect(manager.commandCalls(GetSecretValueCommand).map(({ args }) => args[0].input)).toEqual([
      { SecretId: 'punctual/alice/token' },
      { SecretId: 'punctual/bob/token' },
    ]);
    manager.on(GetSecretValueCommand).rejects(awsError('ResourceNotFoundException', 400));
    await expect(store.read('alice', 'nope')).resolves.toBeUndefined();
  });

  it('SSM gives SecureStrings only, decrypted', async () => {
    parameters.on(GetParameterCommand).resolves({ Parameter: { Type: 'SecureString', Value: 'v' } });
    const store = ssmSecrets(aws, '/punctual');
    await expect(store.read('alice', 'token')).resolves.toBe('v');
    expect(parameters.commandCalls(GetParameterCommand)[0]?.args[0].input).toEqual({
      Name: '/punctual/alice/token',
      WithDecryption: true,
    });
    parameters.on(GetParameterCommand).resolves({ Parameter: { Type: 'String', Value: 'v' } });
    await expect(store.read('alice', 'plain')).resolves.toBeUndefined();
  });

  it('a failure to read is not kept, and says whether to try again', async () => {
    const store = secretsManagerSecrets(aws, 'punctual');
    manager
      .on(GetSecretValueCommand)
      .rejectsOnce(awsError('ThrottlingException', 400))
      .resolves({ SecretString: 'v' });
    await expect(store.read('alice', 'token')).rejects.toMatchObject({ name: 'AwsFailure' });
    await expect(store.read('alice', 'token')).resolves.toBe('v');
    manager.on(GetSecretValueCommand).rejects(awsError('AccessDeniedException', 400));
    await expect(store.read('bob', 'token')).rejects.toBeInstanceOf(DoNotRetry);
  });
});
