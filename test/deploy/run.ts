// `npm run test:deploy` deploys the stack with cdk to the emulator at AWS_ENDPOINT_URL. Then the real code uses the tables
// and queues of the template: it creates a job, a pass of the watcher dispatches it, and a worker runs it.
//
//   python3 -m venv moto && moto/bin/pip install 'moto[server]' && moto/bin/moto_server -H 127.0.0.1 -p 5000 &
//   AWS_ENDPOINT_URL=http://localhost:5000 npm run test:deploy
//
// The emulator must be newly started, because moto can create a stack, but not change or destroy one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { deadLettersName, WORK_QUEUE, workQueueName } from '../../src/queue/sqs/queue-definitions.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { createClients } from '../../src/runtime/aws-clients.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { TABLES } from '../../src/store/dynamodb/tables.ts';
import { builtinTasks } from '../../src/tasks/registry.ts';
import { allShards } from '../../src/watcher/main.ts';
import { startWorker } from '../../src/worker/worker.ts';

const STAGE = 'emulated';
const PREFIX = `punctual-${STAGE}-`;
if (process.argv.includes('--help') || process.argv.includes('-h')) {
  console.log(`usage: AWS_ENDPOINT_URL=http://127.0.0.1:5000 npm run test:deploy

Deploys the stack to the emulator at AWS_ENDPOINT_URL (moto, LocalStack) and runs a job on what was deployed.`);
  process.exit(0);
}
const endpoint = process.env.AWS_ENDPOINT_URL;
if (!endpoint) {
  console.error(
    'AWS_ENDPOINT_URL is missing: test:deploy deploys to an emulator (moto, LocalStack) and never to an account',
  );
  process.exit(2);
}
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const out = mkdtempSync(join(tmpdir(), 'punctual-deploy-'));
const env = {
  ...process.env,
  // CDK caches the account of an access key in its home folder. The emulator has another account, so it gets its own home.
  CDK_HOME: join(out, 'cdk-home'),
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
};
const started = Date.now();
const report = (text: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1)} s  ${text}`);

function cdk(...words: string[]): void {
  report(`cdk ${words[0]}`);
  const settings = ['-c', `punctual:stage=${STAGE}`, '-c', 'punctual:removalPolicy=destroy'];
  const args = [...words, '--app', 'node test/deploy/app.ts', '-o', join(out, 'cdk.out'), ...settings];
  execFileSync('cdk', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

function expect(is: unknown, wanted: unknown, what: string): void {
  if (JSON.stringify(is) !== JSON.stringify(wanted))
    throw new Error(`${what}: is ${JSON.stringify(is)}, should be ${JSON.stringify(wanted)}`);
  report(`  ${what}`);
}

const endpoints = { dynamodb: endpoint, sqs: endpoint };
const clients = createClients({ region: 'us-east-1', credentials, endpoints });

async function checkTables(): Promise<void> {
  for (const schema of TABLES) {
    const TableName = `${PREFIX}${schema.name}`;
    const { Table } = await clients.dynamodb.send(new DescribeTableCommand({ TableName }));
    const keys = Table?.KeySchema?.map(({ AttributeName }) => AttributeName);
    expect(keys, [schema.partitionKey, schema.sortKey].filter(Boolean), `${TableName}: keys`);
    const indexes = Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort() ?? [];
    expect(indexes, schema.indexes.map(({ name }) => name).sort(), `${TableName}: indexes`);
  }
}

async function urlOf(QueueName: string): Promise<string> {
  const { QueueUrl = '' } = await clients.sqs.send(new GetQueueUrlCommand({ QueueName }));
  return QueueUrl;
}

async function checkQueues(): Promise<{ queueUrls: string[]; deadLetterUrl: string }> {
  const QueueUrl = await urlOf(workQueueName(PREFIX, 0));
  const { Attributes } = await clients.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  expect(Attributes?.VisibilityTimeout, String(WORK_QUEUE.visibilitySeconds), 'work-0: visibility');
  const redrive = JSON.parse(Attributes?.RedrivePolicy ?? '{}');
  expect(
    Number(redrive.maxReceiveCount),
    WORK_QUEUE.maxReceiveCount,
    'work-0: receives before the dead letters',
  );
  return { queueUrls: [QueueUrl], deadLetterUrl: await urlOf(deadLettersName(PREFIX)) };
}

/** Creates, dispatches, runs and records a job on the tables and queues of the template. */
async function runJobs(urls: { queueUrls: string[]; deadLetterUrl: string }): Promise<void> {
  const { queue, receivers } = createSqs({
    client: clients.sqs,
    pollClient: clients.sqsPolls,
    clock: systemClock,
    ...urls,
  });
  const context: Context = {
    store: createDynamoStore({
      client: clients.dynamodb,
      tablePrefix: PREFIX,
      shards: DEFAULT_SETTINGS.shards,
      // moto does not support INSERT with parameters
      groupCommit: false,
    }),
    queue,
    clock: systemClock,
    random: systemRandom,
    log: createLog('warn'),
    settings: DEFAULT_SETTINGS,
  };
  const worker = startWorker(context, {
    workerId: 'worker_deploy',
    host: 'here',
    tasks: builtinTasks(),
    receivers,
    pollersPerQueue: 1,
  });
  try {
    const spec = (schedule: object) =>
      jobSpecSchema.parse({ task: 'noop', params: { result: 'ran' }, schedule });
    const { job: soon } = await createJob(context, { userId: 'ann', spec: spec({ in: 'PT2S' }) });
    const { job: often } = await createJob(context, { userId: 'ann', spec: spec({ every: 'PT5S' }) });
    const passedAt = Date.now();
    const pass = await watch(context, allShards(4), AbortSignal.timeout(60_000));
    report(`  a pass of the watcher: ${pass.sent} sent, ${pass.busy} busy`);
    const shards = await Promise.all(allShards(4).map((shard) => context.store.readShard(shard)));
    const horizon = minuteOf(passedAt + DEFAULT_SETTINGS.lookAheadMs);
    expect(
      shards.every((shard) => (shard?.dispatchedUntil ?? 0) >= horizon),
      true,
      'as far as the horizon',
    );
    const rowsOf = async (id: string) =>
      (await context.store.listRows(id, { limit: 10, consistent: true, newestFirst: true })).items;
    const deadline = Date.now() + 60_000;
    while ((await rowsOf(soon.id)).length < 1 || (await rowsOf(often.id)).length < 2) {
      if (Date.now() > deadline) throw new Error('the jobs have not run within a minute');
      await systemClock.sleep(200);
    }
    const [row] = await rowsOf(soon.id);
    expect([row?.status, row?.result], ['SUCCEEDED', 'ran'], 'a one-time job ran and is in the ledger');
    const every = await rowsOf(often.id);
    expect(new Set(every.map(({ status }) => status)).size, 1, `a recurring job ran ${every.length} times`);
  } finally {
    await worker.stop({ deadlineMs: 5_000 });
  }
}

try {
  cdk('bootstrap', 'aws://123456789012/us-east-1');
  cdk('deploy', '--require-approval', 'never');
  await checkTables();
  await runJobs(await checkQueues());
  report('passed');
  console.log(`
What an emulator cannot show: API Gateway v2 (moto skips it) and its authorizer; the functions as Lambda runs them, their
roles and cold starts; Fargate, Spot and scaling; alarms; how exact SQS's delays are; throttling; TTL,
which moto does not take from a template; writes in groups, whose statements moto does not know.`);
} finally {
  clients.destroy();
  rmSync(out, { recursive: true, force: true });
}
