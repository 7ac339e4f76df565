// The scenarios of the two stacks.

import { same } from '../check.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Deployment } from '../deployment.ts';
import { testAccount } from '../programs.ts';
import { startReceiver } from '../receiver.ts';
import type { Step } from '../report.ts';
import { createSite, type Site, signIn } from '../site.ts';
import { prepareWorkers, type Worker, type Workers } from '../workers.ts';
import { checkAccess, signInAll } from './access.ts';
import { canarySucceeds } from './canary.ts';
import { openConsole } from './console.ts';
import { disableRule, killWorker, watcherFires } from './failures.ts';
import { changeJobs, createJobs, readReports, runSchedules } from './jobs.ts';
import { followQuickPath } from './quick-path.ts';
import { restoreIntoNewStage } from './restore.ts';
import { checkRoles } from './roles.ts';
import { callAsService } from './services.ts';
import { callAws, callHttp, notify, startScript } from './targets.ts';

async function startTwo(workers: Workers, step: Step): Promise<Worker[]> {
  return step('start two workers with the environment of the task definition', async () => [
    await workers.start(),
    await workers.start(),
  ]);
}

async function drain(running: readonly Worker[], step: Step): Promise<void> {
  await step('drain the workers by SIGTERM', async () => {
    const codes = await Promise.all(running.map((worker) => worker.drain()));
    same(codes, [0, 0], 'the exit codes of the workers');
  });
}

/** The default stack, as a newcomer deploys it. */
export async function useDefault(deployment: Deployment, step: Step, cleanup: Cleanup): Promise<Site> {
  const { outputs, aws } = deployment;
  const site = createSite({ outputs, aws, isLocal: true });
  const users = await signInAll(site, step);
  const { ann, operator } = users;
  await checkAccess(site, users, step);
  await openConsole(deployment, site, 'ann@example.com', step);
  const workers = await prepareWorkers(deployment, cleanup);
  const running = await startTwo(workers, step);
  const receiver = await startReceiver(cleanup);
  await createJobs(ann, step);
  await callHttp(ann, receiver, step);
  await notify(ann, receiver, step);
  await runSchedules(ann, step);
  await changeJobs(ann, operator, step);
  await readReports(ann, operator, step);
  await killWorker(ann, running, workers, step);
  await watcherFires(deployment, workers, step);
  await followQuickPath(deployment, step, cleanup);
  await useByOutputs(deployment, step);
  await drain(running, step);
  await restoreIntoNewStage(deployment, ann, step, cleanup);
  return site;
}

/** The program for stacks in an account, on the outputs of this one. It needs nothing else of the deployment. */
async function useByOutputs({ outputsFile, emulator }: Deployment, step: Step): Promise<void> {
  await step('npm run test:account with the outputs of the stack', async (note) => {
    const output = await testAccount(['--outputs', outputsFile, '--yes'], emulator.env);
    note(/\d+ of \d+ steps passed/.exec(output)?.[0] ?? '');
  });
}

/** The stack with scripts, a key, tracing, an event bus and targets, on an emulator that enforces IAM. */
export async function useWithIam(deployment: Deployment, step: Step, cleanup: Cleanup): Promise<Site> {
  const { outputs, aws } = deployment;
  const site = createSite({ outputs, aws, isLocal: true });
  const { ann, operator } = await signInAll(site, step);
  const receiver = await startReceiver(cleanup);
  const workers = await prepareWorkers(deployment, cleanup, { AWS_ENDPOINT_URL_XRAY: receiver.url });
  const running = await startTwo(workers, step);
  await createJobs(ann, step);
  await notify(ann, receiver, step);
  await callAws(deployment, workers, ann, step);
  await changeJobs(ann, operator, step);
  await readReports(ann, operator, step);
  await watcherFires(deployment, workers, step);
  await canarySucceeds(deployment, step);
  await checkRoles(deployment, running, step);
  await drain(running, step);
  return site;
}

/** The stack with scripts, a key, tracing, an event bus and targets of tasks. */
export async function useFull(deployment: Deployment, step: Step, cleanup: Cleanup): Promise<Site> {
  const { outputs, aws } = deployment;
  const site = createSite({ outputs, aws, isLocal: true });
  const ann = await step('create a user and get a token from Cognito', async () =>
    site.as(await signIn(site, 'ann@example.com')),
  );
  await callAsService(deployment, site, step);
  const receiver = await startReceiver(cleanup);
  // MiniStack has no X-Ray, so the segments go to the receiver.
  const workers = await prepareWorkers(deployment, cleanup, { AWS_ENDPOINT_URL_XRAY: receiver.url });
  const running = await startTwo(workers, step);
  await callAws(deployment, workers, ann, step);
  await startScript(deployment, workers, ann, step);
  await watcherFires(deployment, workers, step);
  await disableRule(deployment, ann, { minutes: 3, aheadMs: 180_000 }, step);
  await canarySucceeds(deployment, step);
  await drain(running, step);
  return site;
}
