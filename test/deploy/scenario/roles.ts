// Roles on an emulator that enforces IAM: nothing that the runtimes did was refused, and calls that they must not make are.
import {
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { TABLES } from '../../../src/store/dynamodb/tables.ts';
import { holds } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { ACCOUNT, REGION, TARGETS } from '../names.ts';
import type { Step } from '../report.ts';
import { assumeRole, type Worker } from '../workers.ts';

const PREFIX = 'punctual-full-';

/** The roles by the pattern of their logical ids. */
const ROLES = {
  query: /QueryRole/,
  scheduler: /SchedulerRole/,
  ingest: /IngestConsumerRole/,
  watcher: /WatcherFunctionRole/,
  notifier: /NotifierFunctionRole/,
  console: /ConsoleFunctionRole/,
  canary: /CanaryFunctionRole/,
  worker: /WorkersTaskTaskRole/,
  script: /ScriptsNothing/,
} as const;
type RoleName = keyof typeof ROLES;
type Call = () => Promise<unknown>;

function callsOf({ emulator, physicalId, outputs }: Deployment, session: Record<string, string>) {
  const options = {
    region: REGION,
    endpoint: emulator.endpoint,
    maxAttempts: 1,
    credentials: {
      accessKeyId: session.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: session.AWS_SECRET_ACCESS_KEY ?? '',
      sessionToken: session.AWS_SESSION_TOKEN ?? '',
    },
  };
  const dynamodb = new DynamoDBClient(options);
  const sqs = new SQSClient(options);
  const table = (name: string) => ({ TableName: `${PREFIX}${name}` });
  const keyOf = (name: string) => {
    const schema = TABLES.find((one) => one.name === name);
    const names = [schema?.partitionKey, schema?.sortKey].filter((key) => key !== undefined);
    return Object.fromEntries(names.map((key) => [key, { S: 'x' }]));
  };
  const queue = (name: string) => ({ QueueUrl: `${emulator.endpoint}/${ACCOUNT}/${name}` });
  return {
    get:
      (name: string): Call =>
      () =>
        dynamodb.send(new GetItemCommand({ ...table(name), Key: keyOf(name) })),
    put:
      (name: string): Call =>
      () =>
        dynamodb.send(new PutItemCommand({ ...table(name), Item: keyOf(name) })),
    update:
      (name: string): Call =>
      () =>
        dynamodb.send(new UpdateItemCommand({ ...table(name), Key: keyOf(name) })),
    remove:
      (name: string): Call =>
      () =>
        dynamodb.send(new DeleteItemCommand({ ...table(name), Key: keyOf(name) })),
    scan:
      (name: string): Call =>
      () =>
        dynamodb.send(new ScanCommand(table(name))),
    dropTable:
      (name: string): Call =>
      () =>
        dynamodb.send(new DeleteTableCommand(table(name))),
    send:
      (name: string): Call =>
      () =>
        sqs.send(new SendMessageCommand({ ...queue(name), MessageBody: '{}' })),
    receive:
      (name: string): Call =>
      () =>
        sqs.send(new ReceiveMessageCommand(queue(name))),
    invoke:
      (id: RegExp): Call =>
      () =>
        new LambdaClient(options).send(
          new InvokeCommand({ FunctionName: physicalId('AWS::Lambda::Function', id) }),
        ),
    publishAlarm: (): Promise<unknown> =>
      new SNSClient(options).send(new PublishCommand({ TopicArn: outputs.AlarmTopic, Message: 'x' })),
    putEvent: (): Promise<unknown> =>
      new EventBridgeClient(options).send(
        new PutEventsCommand({ Entries: [{ Source: 'x', DetailType: 'x', Detail: '{}' }] }),
      ),
    readAsset: (): Promise<unknown> =>
      new S3Client({ ...options, forcePathStyle: true }).send(
        new GetObjectCommand({ Bucket: `cdk-hnb659fds-assets-${ACCOUNT}-${REGION}`, Key: 'x' }),
      ),
    readSecret: (): Promise<unknown> =>
      new SecretsManagerClient(options).send(new GetSecretValueCommand({ SecretId: 'x' })),
  };
}

type Calls = ReturnType<typeof callsOf>;

/** One call that each role may make, which shows that its session is valid. Other roles have no right that a call here could use. */
const ALLOWED: Partial<Record<RoleName, (calls: Calls) => Call>> = {
  query: ({ get }) => get('jobs'),
  scheduler: ({ get }) => get('jobs'),
  ingest: ({ get }) => get('jobs'),
  watcher: ({ get }) => get('control'),
  notifier: ({ get }) => get('executions'),
  worker: ({ get }) => get('jobs'),
};

const WORK = `${PREFIX}work-0`;
const REFUSED: Record<RoleName, (calls: Calls) => Record<string, Call>> = {
  query: ({ put, remove, send, receive }) => ({
    'write a job': put('jobs'),
    'delete an execution': remove('executions'),
    'send work': send(WORK),
    'take work': receive(WORK),
  }),
  scheduler: ({ scan, remove, receive, get, dropTable }) => ({
    'read all jobs': scan('jobs'),
    'delete an execution': remove('executions'),
    'take work': receive(WORK),
    'read the cursors': get('control'),
    'drop a table': dropTable('jobs'),
  }),
  ingest: ({ update, get, invoke, receive }) => ({
    'change an execution': update('executions'),
    'read an execution': get('executions'),
    'invoke the watcher': invoke(/WatcherFunction/),
    'take work': receive(WORK),
  }),
  watcher: ({ remove, receive, send, scan }) => ({
    'delete an execution': remove('executions'),
    'take work': receive(WORK),
    'send to the ingest queue': send(`${PREFIX}ingest`),
    'read all executions': scan('executions'),
  }),
  notifier: ({ put, putEvent, publishAlarm, send }) => ({
    'write an execution': put('executions'),
    'put an event on the default bus': putEvent,
    'publish an alarm': publishAlarm,
    'send work': send(WORK),
  }),
  console: ({ get, put, send, invoke, readSecret }) => ({
    'read a job': get('jobs'),
    'write a job': put('jobs'),
    'send work': send(WORK),
    'invoke the query function': invoke(/ApiQuery/),
    'read a secret': readSecret,
  }),
  canary: ({ get, put, send, invoke }) => ({
    'read a job past the API': get('jobs'),
    'write a job past the API': put('jobs'),
    'send work': send(WORK),
    'invoke the scheduler function': invoke(/ApiScheduler/),
  }),
  worker: ({ scan, receive, send, invoke, readAsset, readSecret, dropTable, publishAlarm }) => ({
    'read all jobs': scan('jobs'),
    'take requests of the ingest queue': receive(`${PREFIX}ingest`),
    'send to a queue that was not granted': send(TARGETS.events),
    'invoke the scheduler function': invoke(/ApiScheduler/),
    'read assets of the CDK': readAsset,
    'read a secret': readSecret,
    'drop a table': dropTable('executions'),
    'publish an alarm': publishAlarm,
  }),
  script: ({ get, send, readAsset, readSecret, invoke }) => ({
    'read a job': get('jobs'),
    'send work': send(WORK),
    'read assets of the CDK': readAsset,
    'read a secret': readSecret,
    'invoke the scheduler function': invoke(/ApiScheduler/),
  }),
};

export async function checkRoles(
  deployment: Deployment,
  workers: readonly Worker[],
  step: Step,
): Promise<void> {
  await step('no call of a function or a worker was refused', async (note) => {
    const lines = [
      ...(await logLines(deployment)),
      ...workers.flatMap((worker) => worker.output().split('\n')),
    ];
    const refused = lines.filter((line) => /not authorized to perform|AccessDenied/.test(line));
    note(`${lines.length} log lines`);
    holds(lines.length > 50, `there are logs: ${lines.length} lines`);
    holds(refused.length === 0, `no log line reports a refusal:\n${refused.join('\n')}`);
  });
  await step('calls that a role must not make are refused', async (note) => {
    let count = 0;
    for (const role of Object.keys(ROLES) as RoleName[]) {
      const arn = `arn:aws:iam::${ACCOUNT}:role/${deployment.physicalId('AWS::IAM::Role', ROLES[role])}`;
      const calls = callsOf(deployment, await assumeRole(deployment.aws, arn));
      await ALLOWED[role]?.(calls)();
      for (const [what, call] of Object.entries(REFUSED[role](calls))) {
        const error = await call().then(
          () => undefined,
          (reason: Error) => reason,
        );
        holds(error, `${role} may not ${what}, but it could`);
        holds(
          /not authorized|AccessDenied|Access Denied/i.test(`${error.name} ${error.message}`),
          `${role} may not ${what}, and the error is a refusal: ${error.name}: ${error.message}`,
        );
        count += 1;
      }
    }
    note(`${count} calls of ${Object.keys(ROLES).length} roles`);
  });
}

/** The lines of all log groups. */
export async function logLines({ aws }: Deployment): Promise<string[]> {
  const { logGroups } = (await aws('logs', 'describe-log-groups')) as {
    logGroups: { logGroupName: string }[];
  };
  const lines: string[] = [];
  for (const { logGroupName } of logGroups) {
    const { events } = (await aws('logs', 'filter-log-events', '--log-group-name', logGroupName)) as {
      events: { message: string }[];
    };
    lines.push(...events.map(({ message }) => message));
  }
  return lines;
}
