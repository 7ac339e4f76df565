import { execFileSync } from 'node:child_process';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';
import { tasksOnAws } from '../../src/tasks/aws/worker-tasks.ts';
import { describableTasksOnAws } from '../../src/tasks/describable-tasks.ts';
import { enabledOnAws, taskVariables } from '../../src/tasks/task-settings.ts';
import { taskContext } from '../support/task-context.ts';
import { awsError, testServices } from '../support/task-services.ts';

const read = (env: Record<string, string>) => readConfig(taskVariables, env);
const PLACE = { PUNCTUAL_CONTAINER_CLUSTER: 'jobs', PUNCTUAL_CONTAINER_SUBNETS: 'subnet-1, subnet-2' };

describe('on AWS', () => {
  it.each([
    [{}, ['http', 'noop']],
    [
      { PUNCTUAL_ALLOW_LAMBDA: 'jobs-*', PUNCTUAL_ALLOW_EMAIL: 'a@b.example' },
      ['http', 'noop', 'lambda', 'email'],
    ],
    [{ PUNCTUAL_ALLOW_LAMBDA: 'jobs-*', PUNCTUAL_TASKS: 'noop, lambda, sqs' }, ['noop', 'lambda']],
    [{ PUNCTUAL_ALLOW_CONTAINER: 'report' }, ['http', 'noop']],
    [{ PUNCTUAL_ALLOW_CONTAINER: 'report', ...PLACE }, ['http', 'noop', 'container']],
    [{ PUNCTUAL_SCRIPT_TASK_DEFINITION: 's', PUNCTUAL_SCRIPT_BUCKET: 'b' }, ['http', 'noop']],
    [
      { PUNCTUAL_SCRIPT_TASK_DEFINITION: 's', PUNCTUAL_SCRIPT_BUCKET: 'b', ...PLACE },
      ['http', 'noop', 'script'],
    ],
  ])('%j makes these tasks: %j', (env, names) => {
    expect(enabledOnAws(read(env))).toEqual(names);
  });

  it.each([
    [{ PUNCTUAL_TASKS: 'http,teleport' }, 'PUNCTUAL_TASKS'],
    [{ PUNCTUAL_SECRETS: 'vault:x' }, 'PUNCTUAL_SECRETS'],
    [{ PUNCTUAL_SECRETS: 'ssm:punctual/' }, 'PUNCTUAL_SECRETS'],
    [{ PUNCTUAL_CONTAINER_SUBNETS: 'my subnet' }, 'PUNCTUAL_CONTAINER_SUBNETS'],
  ])('%j is refused by name', (env, name) => {
    expect(() => read(env)).toThrow(ConfigError);
    expect(() => read(env)).toThrow(name);
  });

  it('a wrong entry of PUNCTUAL_ALLOW_HTTP stops the worker, not the first request', async () => {
    const given = read({ PUNCTUAL_ALLOW_HTTP: '10.0.0.0/64' });
    await expect(tasksOnAws(given, { concurrency: 1, prefix: 'p-' })).rejects.toThrow('got "10.0.0.0/64"');
  });

  it('loopback is refused, the scheduler’s own queues too, and secrets need a place', async () => {
    const tasks = await tasksOnAws(read({ PUNCTUAL_ALLOW_SQS: '*' }), {
      concurrency: 100,
      prefix: 'punctual-',
    });
    const run = (task: string, params: object) => tasks.get(task)?.run(taskContext(params));
    await expect(run('http', { url: 'http://127.0.0.1:8080/' })).rejects.toThrow('is not allowed here');
    const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/1/punctual-work-0';
    await expect(run('sqs', { queueUrl, body: '{}' })).rejects.toThrow('may not be used');
    await expect(run('noop', { result: { $secret: 'x' } })).rejects.toThrow('PUNCTUAL_SECRETS is not set');
  });

  it.each([
    [
      'may not be read',
      () => Promise.reject(awsError('AccessDeniedException', 400, 'User: arn:aws:sts::1:role/x')),
    ],
    ['is no JSON', async () => ({ SecretString: 'c2VjcmV0 {' })],
    ['is of another shape', async () => ({ SecretString: '{"keys":"c2VjcmV0"}' })],
  ])('the secret with the signing keys %s: a run is told so, and nothing of it', async (_, send) => {
    const secretsManager = { send } as unknown as SecretsManagerClient;
    const { aws } = testServices({ secretsManager });
    const given = read({ PUNCTUAL_SIGNING_SECRET: 'punctual/signing' });
    const tasks = await tasksOnAws(given, { concurrency: 1, prefix: 'p-', aws });
    const run = tasks.get('http')?.run(taskContext({ url: 'https://example.com/' }));
    const error = await run?.then(
      () => expect.fail('it ran'),
      (e: Error) => e,
    );
    expect(error?.message).toMatch(
      /the signing keys have an invalid format|not allowed to read the signing keys/,
    );
    for (const told of ['c2VjcmV0', 'arn:aws', 'punctual/signing'])
      expect(error?.message).not.toContain(told);
  });

  it('the API describes what the worker runs', async () => {
    const given = read({ PUNCTUAL_ALLOW_SNS: '*' });
    const [described, run] = await Promise.all([
      describableTasksOnAws(given),
      tasksOnAws(given, { concurrency: 1, prefix: 'p-' }),
    ]);
    expect([...described.keys()]).toEqual([...run.keys()]);
    expect([...described.keys()]).toEqual(['http', 'noop', 'sns', 'count-slowly']);
  });

  it('nothing of a service is loaded before a task uses it', () => {
    const source = `
      import { createRequire } from 'node:module';
      import { lazyAwsClients } from './src/tasks/aws/task-clients.ts';
      import { tasksOnAws } from './src/tasks/aws/worker-tasks.ts';
      import { taskVariables } from './src/tasks/task-settings.ts';
      const given = taskVariables.parse({ PUNCTUAL_ALLOW_SNS: '*', PUNCTUAL_ALLOW_EMAIL: '*', PUNCTUAL_ALLOW_SQS: '*' });
      const aws = lazyAwsClients({ region: 'eu-west-1' });
      await tasksOnAws(given, { concurrency: 1, prefix: 'p-', aws });
      const { cache } = createRequire(import.meta.url);
      const loaded = () => [...new Set(Object.keys(cache).flatMap((file) => /@aws-sdk\\/(client-[a-z0-9-]+)/.exec(file)?.[1] ?? []))];
      const before = loaded();
      await aws.sns();
      console.log(JSON.stringify([before, loaded()]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
      cwd: new URL('../..', import.meta.url),
    });
    expect(JSON.parse(output.toString())).toEqual([[], ['client-sns']]);
  });
});
