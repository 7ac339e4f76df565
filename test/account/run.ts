// `npm run test:account`: the scenario of `npm run test:deploy` on a stack in an account, given by its outputs.
import { readFileSync } from 'node:fs';
import type { PunctualClient } from '../../src/client/client.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { holds, same } from '../deploy/check.ts';
import { Cleanup } from '../deploy/cleanup.ts';
import { awsCli, type Environment, stopPrograms } from '../deploy/programs.ts';
import { Report, type Step } from '../deploy/report.ts';
import { checkAccess, signInAll } from '../deploy/scenario/access.ts';
import { changeJobs, createJobs, reached, readReports, runSchedules } from '../deploy/scenario/jobs.ts';
import { createSite, type Site } from '../deploy/site.ts';
import { until } from '../support/until.ts';
import {
  type AccountArguments,
  type Outputs,
  readArguments,
  readOutputs,
  USAGE,
  UsageError,
} from './arguments.ts';
import { printEstimate } from './estimate.ts';

/** The CLI gets the variables of this process, with the region of the pool (`eu-central-1_AbCdEf`). */
function environmentFor({ UserPoolId: pool = '' }: Outputs): Environment {
  const given = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const region = pool.split('_')[0] ?? '';
  return { ...Object.fromEntries(given), AWS_REGION: region, AWS_DEFAULT_REGION: region };
}

/** The watcher's cursors, as operators see them. A pass per minute keeps the lag below a minute. */
async function watcherKeepsUp(site: Site, token: string, step: Step): Promise<void> {
  await step('the watcher keeps the cursors of all shards at the look-ahead', async (note) => {
    const shards = await until(
      'no shard is more than a minute behind',
      async () => {
        const response = await site.fetch(`${site.url}/system`, {
          headers: { authorization: `Bearer ${token}` },
        });
        same(response.status, 200, 'GET /system as an operator');
        const system = (await response.json()) as { shards: { dispatchLagSeconds?: number }[] };
        const found = system.shards;
        return found.every(({ dispatchLagSeconds = Number.NaN }) => dispatchLagSeconds <= 60)
          ? found
          : undefined;
      },
      { withinMs: 180_000, everyMs: 5_000 },
    );
    holds(shards.length > 0, 'there are shards');
    note(`${shards.length} shards`);
  });
}

/** Workers in a closed network cannot, so this step fails with `network: endpoints`. */
async function callApiByTask(site: Site, ann: PunctualClient, step: Step): Promise<void> {
  await step('a worker reaches the internet: the task http calls the API itself', async () => {
    const { id } = await ann.jobs.create({ task: 'http', params: { url: `${site.url}/openapi.json` } });
    await reached(ann, id, 'succeeded');
  });
}

async function use(outputs: Outputs, { operatorsGroup }: AccountArguments): Promise<boolean> {
  const report = new Report();
  const cleanup = new Cleanup();
  cleanup.onSignals(stopPrograms);
  const step = report.part('account');
  const aws = awsCli(environmentFor(outputs));
  // The hosts of an emulator do not resolve.
  const isLocal = new URL(outputs.Url ?? '').hostname.endsWith('.localhost');
  const site = createSite({ outputs, aws, isLocal });
  try {
    const users = await signInAll(site, step, {
      prefix: `punctual-test-${systemRandom.id(8).toLowerCase()}-`,
      operatorsGroup,
      created: (username) =>
        cleanup.add(() =>
          aws('cognito-idp', 'admin-delete-user', '--user-pool-id', site.userPoolId, '--username', username),
        ),
    });
    await checkAccess(site, users, step);
    await createJobs(users.ann, step);
    // A worker beside an emulator cannot resolve its host.
    if (!isLocal) await callApiByTask(site, users.ann, step);
    await runSchedules(users.ann, step);
    await changeJobs(users.ann, users.operator, step);
    await readReports(users.ann, users.operator, step);
    await watcherKeepsUp(site, users.operatorToken, step);
    return true;
  } catch {
    return false;
  } finally {
    await cleanup.run();
    report.print();
  }
}

try {
  const given = readArguments(process.argv.slice(2));
  if (!given) {
    console.log(USAGE);
    process.exit(0);
  }
  const outputs = readOutputs(readFileSync(given.outputs, 'utf8'), given);
  printEstimate(outputs.Url ?? '');
  if (given.yes) {
    if (!(await use(outputs, given))) process.exitCode = 1;
  } else {
    console.log('\nNothing was done. Add --yes to go on.');
  }
} catch (error) {
  const isMistake = error instanceof UsageError || (error as NodeJS.ErrnoException).code === 'ENOENT';
  console.error(isMistake ? `${(error as Error).message}\n\n${USAGE}` : error);
  process.exitCode = isMistake ? 2 : 1;
}
