// `npm run test:endpoints`: starts `npm start` on every engine of the DynamoDB and SQS APIs that npm and PyPI have, and uses it as a client.
// The engines need Java (DynamoDB Local), python3 and PyPI (MiniStack, moto), or Linux x64 (dynoxide).
import { parseArgs } from 'node:util';
import { createClient } from '../../src/client/client.ts';
import { localToken } from '../../src/local/tokens.ts';
import { holds, same } from '../deploy/check.ts';
import { Cleanup } from '../deploy/cleanup.ts';
import { Report, type Step } from '../deploy/report.ts';
import { exists, reached } from '../deploy/scenario/jobs.ts';
import { startLocal } from '../support/processes.ts';
import { ENGINES, type Engine } from './engines.ts';

const NAMES = Object.keys(ENGINES) as (keyof typeof ENGINES)[];

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const only = values.only as keyof typeof ENGINES | undefined;
if (values.help || (only !== undefined && !NAMES.includes(only))) {
  console.log(`usage: npm run test:endpoints [-- --only ${NAMES.join('|')}]

Runs npm start with AWS_ENDPOINT_URL on each engine. Needs python3, PyPI and Java. DynamoDB Local listens on all interfaces.`);
  process.exit(values.help ? 0 : 2);
}

const report = new Report();
const cleanup = new Cleanup();
cleanup.onSignals(async () => {});

async function use({ start: startEngine, hasGroupCommit }: Engine, step: Step): Promise<void> {
  const engine = await step('start the engine', async (note) => {
    const variables = await startEngine(cleanup);
    note(Object.keys(variables).join(', '));
    return variables;
  });
  const folder = cleanup.folder('endpoints');
  const startServer = async () => {
    const server = await startLocal(folder, engine);
    cleanup.add(() => server.stop('SIGKILL'));
    const token = await localToken(folder, 'ann', false, process.env);
    const client = createClient({ baseUrl: server.url, token, retry: { maxAttempts: 1 } });
    return { server, client };
  };
  const first = await step('npm start creates tables and queues', async (note) => {
    const started = await startServer();
    const isOff = started.server.output().includes('Group commit is off');
    same(isOff, !hasGroupCommit, 'whether group commit is off, and the start says so');
    note(`group commit ${isOff ? 'off' : 'on'}`);
    return started;
  });
  await step('run jobs: at once, accepted asynchronously, failing, recurring', async (note) => {
    const { client } = first;
    const { id: now } = await client.jobs.create({ task: 'noop', params: { result: 'ran' } });
    same((await reached(client, now, 'succeeded'))[0]?.result, 'ran', 'the result');
    const { id: accepted } = await client.jobs.createAsync({ task: 'noop' });
    await exists(client, accepted);
    await reached(client, accepted, 'succeeded');
    const { id: failing } = await client.jobs.create({ task: 'noop', params: { fail: true } });
    await reached(client, failing, 'failed');
    const letters = await client.deadLetters.list().page();
    holds(
      letters.items.some(({ jobId }) => jobId === failing),
      'the failed execution is a dead letter',
    );
    const { id: every } = await client.jobs.create({ task: 'noop', schedule: { every: 'PT2S' } });
    const runs = await reached(client, every, 'succeeded', 5);
    await client.jobs.cancel(every);
    const due = runs.map(({ dueAt }) => Date.parse(dueAt)).sort((a, b) => a - b);
    holds(
      due.every((time, index) => index === 0 || time - (due[index - 1] ?? 0) === 2000),
      `no occurrence is missing: ${due}`,
    );
    note(`at most ${Math.max(...runs.map(({ latenessMs = 0 }) => latenessMs))} ms late`);
  });
  await step('kill -9, start again, and go on', async () => {
    const { id } = await first.client.jobs.create({ task: 'noop', schedule: { in: 'PT4S' } });
    await first.server.stop('SIGKILL');
    const { server, client } = await startServer();
    same((await reached(client, id, 'succeeded')).length, 1, 'the executions of the job');
    same(await server.stop(), 0, 'the exit code after SIGTERM');
  });
}

for (const name of NAMES.filter((one) => only === undefined || one === only)) {
  const engine: Engine = ENGINES[name];
  try {
    await use(engine, report.part(engine.name));
  } catch {
    // The report has the error. The other engines are still tried.
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}
report.print();
