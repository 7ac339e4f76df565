// Types that a user's project relies on. It is compiled without skipLibCheck, and each @ts-expect-error must be an error.
import { App, Stack } from 'aws-cdk-lib';
import { createClient, type Execution, type Job, type JobInput, type Page, type Problem } from 'punctual';
import { Punctual, type PunctualProps, PunctualStack } from 'punctual/cdk';
import { verifySignature } from 'punctual/client';
import { DoNotRetry, defineTask, RetryAfter, Snooze, type TaskContext } from 'punctual/tasks';
import { z } from 'zod';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
const same = <T extends true>(..._: T[]): void => {};

const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: async () => 'token' });
export const jobs = async (): Promise<Job> =>
  client.jobs.create({ task: 'noop', schedule: { cron: '@daily' } });
export const page = (): Promise<Page<Execution>> => client.executions.list({ limit: 5 }).page();
export const input: JobInput = { task: 'http', overlap: 'queue', tags: { team: 'billing' } };
export const verified: Promise<boolean> = verifySignature({
  method: 'GET',
  url: 'https://a.example',
  signature: null,
  keys: [],
});
same<Same<Job['overlap'], 'skip' | 'queue' | 'allow'>>();
same<Same<Job['status'], 'active' | 'paused' | 'completed' | 'failed' | 'cancelled'>>();
same<Same<Awaited<ReturnType<typeof client.jobs.cancel>>, undefined>>();
same<Same<Awaited<ReturnType<typeof client.jobs.createAsync>>['id'], string>>();
same<Same<Problem['status'], number>>();
// @ts-expect-error: a job needs a task
export const noTask: JobInput = { name: 'x' };
// @ts-expect-error: not a policy
export const noPolicy: JobInput = { task: 'noop', overlap: 'sometimes' };
// @ts-expect-error: not a schedule
export const noSchedule: JobInput = { task: 'noop', schedule: { weekly: true } };

const params = z.strictObject({ file: z.string() });
export const task = defineTask<z.infer<typeof params>>({
  name: 'import',
  description: 'd',
  params,
  async run({ params: { file }, checkpoint }: TaskContext<{ file: string }>) {
    await checkpoint(1);
    if (file === '') throw new DoNotRetry('empty');
    throw file === 'a' ? new RetryAfter(5, 'later') : new Snooze(5, 'busy');
  },
});
// @ts-expect-error: params are not of this type
defineTask<{ file: number }>({ name: 'x', description: 'd', params, run: async () => {} });

export const props: PunctualProps = { stage: 'prod', shards: 64, network: 'endpoints', tasks: './tasks' };
const stack = new Stack(new App(), 'Own');
const punctual = new Punctual(stack, 'Jobs', props);
same<Same<typeof punctual.settings.stage, string>>();
same<Same<typeof punctual.settings.tasks, string | undefined>>();
new PunctualStack(new App(), 'Other', { punctual: { spotShare: 0.5 } });
// @ts-expect-error: not a setting
new Punctual(stack, 'Wrong', { shard: 64 });
