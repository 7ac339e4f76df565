// Tasks that call AWS, notifications, events and traces: each must reach its target.
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { PunctualClient } from '../../../src/client/client.ts';
import { until } from '../../support/until.ts';
import { holds, same } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { ACCOUNT, BUS, REGION, TARGETS } from '../names.ts';
import type { Receiver } from '../receiver.ts';
import type { Step } from '../report.ts';
import type { Workers } from '../workers.ts';
import { reached } from './jobs.ts';

const WAIT = { withinMs: 90_000, everyMs: 250 };

export async function callHttp(ann: PunctualClient, { url, at }: Receiver, step: Step): Promise<void> {
  await step('the task http calls a URL', async () => {
    const { id } = await ann.jobs.create({
      task: 'http',
      params: { url: `${url}/called`, body: { day: 1 } },
    });
    const [execution] = await reached(ann, id, 'succeeded');
    const [request] = at('/called');
    same(request?.body, '{"day":1}', 'the body');
    same(request?.headers['punctual-execution'], execution?.id, 'the header Punctual-Execution');
  });
}

export async function notify(ann: PunctualClient, { url, at }: Receiver, step: Step): Promise<void> {
  await step('the notifier calls a webhook', async () => {
    const { id } = await ann.jobs.create({
      name: 'notified',
      task: 'noop',
      params: { fail: true },
      notify: [{ on: ['failed'], webhook: { url: `${url}/alert` } }],
    });
    const [execution] = await reached(ann, id, 'failed');
    const [alert] = await until(
      'the receiver has the notification',
      () => {
        const found = at('/alert');
        return found.length > 0 ? found : undefined;
      },
      WAIT,
    );
    const body = JSON.parse(alert?.body ?? '{}') as { event: string; execution: { id: string } };
    same([body.event, body.execution.id], ['failed', execution?.id], 'the notification');
  });
}

/** The messages of a queue of the stack `full`, as they arrive. */
export function inbox({ emulator }: Deployment, name: string) {
  const client = new SQSClient({
    region: REGION,
    endpoint: emulator.endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const QueueUrl = `${emulator.endpoint}/${ACCOUNT}/${name}`;
  const messages: string[] = [];
  return (what: string, matches: (message: string) => boolean): Promise<string> =>
    until(
      what,
      async () => {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
        );
        messages.push(...Messages.map(({ Body = '' }) => Body));
        return messages.find(matches);
      },
      { ...WAIT, detail: () => messages.join('\n') },
    );
}

export async function callAws(
  deployment: Deployment,
  { variables }: Workers,
  ann: PunctualClient,
  step: Step,
): Promise<void> {
  const ran = async (task: string, params: Record<string, unknown>) => {
    const { id } = await ann.jobs.create({ task, params });
    const [execution] = await reached(ann, id, 'succeeded');
    return execution;
  };
  await step('the task sqs sends a message', async () => {
    const queueUrl = variables.PUNCTUAL_ALLOW_SQS ?? '';
    await ran('sqs', { queueUrl, body: { by: 'sqs' } });
    await inbox(deployment, TARGETS.sqs)('the message is in the queue', (text) => text === '{"by":"sqs"}');
  });
  await step('the task sns publishes a message', async () => {
    await ran('sns', {
      topicArn: `arn:aws:sns:${REGION}:${ACCOUNT}:${TARGETS.sns}`,
      message: 'by sns',
    });
    await inbox(deployment, TARGETS.sns)('the subscribed queue has the message', (text) =>
      text.includes('by sns'),
    );
  });
  await step('the task lambda invokes a function', async () => {
    const execution = await ran('lambda', { function: TARGETS.lambda, payload: { by: 'lambda' } });
    holds(
      JSON.stringify(execution?.result).includes('"by":"lambda"'),
      `the result has the payload: ${JSON.stringify(execution?.result)}`,
    );
  });
  await step('the task eventbridge puts an event', async () => {
    await ran('eventbridge', {
      bus: BUS,
      source: 'deploy.test',
      detailType: 'Done',
      detail: { by: 'eventbridge' },
    });
    await inbox(deployment, TARGETS.eventbridge)(
      'the rule has delivered the event',
      (text) => JSON.parse(text).detail.by === 'eventbridge',
    );
  });
  await step('a target that is not allowed is refused', async () => {
    const { id } = await ann.jobs.create({ task: 'lambda', params: { function: 'another' } });
    const [execution] = await reached(ann, id, 'failed');
    holds(execution?.error?.message.includes('PUNCTUAL_ALLOW_LAMBDA'), 'the error names the setting');
  });
  await step('every status change is on the event bus', async () => {
    const { id } = await ann.jobs.create({ name: 'on-the-bus', task: 'noop' });
    await inbox(deployment, TARGETS.events)('the event of the execution', (text) => text.includes(id));
  });
}

/**
 * The emulator starts no container, so the script is cancelled when its task is there. It runs without IAM only: the emulator
 * authorizes ecs:RunTask by the cluster instead of the task definition, and does not know the condition key ecs:cluster.
 */
export async function startScript(
  { aws }: Deployment,
  { variables }: Workers,
  ann: PunctualClient,
  step: Step,
): Promise<void> {
  await step('the task script starts a Fargate task, and cancelling stops it', async () => {
    const { PUNCTUAL_CONTAINER_CLUSTER: cluster = '', PUNCTUAL_SCRIPT_TASK_DEFINITION: family = '' } =
      variables;
    const scripts = ['--cluster', cluster, '--family', family];
    const { id } = await ann.jobs.create({
      task: 'script',
      params: { language: 'shell', source: 'echo hello' },
    });
    const [execution] = await reached(ann, id, 'running');
    const tasks = async (status: string) =>
      ((await aws('ecs', 'list-tasks', ...scripts, '--desired-status', status)) as { taskArns: string[] })
        .taskArns;
    const [task] = await until(
      'the task of the script',
      async () => {
        const found = await tasks('RUNNING');
        return found.length > 0 ? found : undefined;
      },
      WAIT,
    );
    await ann.executions.cancel(execution?.id ?? '').catch(async (reason: Error) => {
      const { error } = await ann.executions.get(execution?.id ?? '');
      throw new Error(`the script ended before it was cancelled: ${JSON.stringify(error)}`, {
        cause: reason,
      });
    });
    await reached(ann, id, 'cancelled');
    await until('the task is stopped', async () => (await tasks('STOPPED')).includes(task ?? ''), WAIT);
  });
}
