// The restore of docs/deploy.md: its commands restore the tables into another stage, which takes them over with their jobs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PunctualClient } from '../../../src/client/client.ts';
import { same } from '../check.ts';
import type { Cleanup } from '../cleanup.ts';
import { type Deployment, deploy, destroy } from '../deployment.ts';
import type { Step } from '../report.ts';
import { createSite, signIn } from '../site.ts';
import { prepareWorkers } from '../workers.ts';
import { adapted, blockOf, runCommands } from './guide.ts';
import { reached } from './jobs.ts';

const OLD = 'punctual-default-';
const NEW = 'punctual-restored-';

export async function restoreIntoNewStage(
  { emulator, aws }: Deployment,
  ann: PunctualClient,
  step: Step,
  cleanup: Cleanup,
): Promise<void> {
  const inNewStage: Step = (name, run) => step(`restored stage: ${name}`, run);
  const { id } = await ann.jobs.create({ name: 'restored', task: 'noop', schedule: { every: 'PT1H' } });
  await inNewStage('restore the tables with the commands of docs/deploy.md', () =>
    runCommands(
      adapted(blockOf('Restore', 'sh'), [
        ['punctual-prod-', OLD],
        ['punctual-prod2-', NEW],
        ['2026-11-30T12:00:00Z', new Date().toISOString()],
      ]),
      emulator,
      cleanup,
    ),
  );
  const mapping = join(cleanup.folder('mapping'), 'tables.json');
  writeFileSync(mapping, adapted(blockOf('Restore', 'json'), [['punctual-prod2-', NEW]]));
  const deployment = await deploy('restored', emulator, inNewStage, cleanup, mapping);
  const site = createSite({ outputs: deployment.outputs, aws, isLocal: true });
  await inNewStage('a job of the old stage is there, and runs', async () => {
    const operator = site.as(await signIn(site, 'olga@example.com', 'punctual-operators'));
    const { status, name } = await operator.jobs.get(id);
    same([status, name], ['active', 'restored'], 'the job');
    const workers = await prepareWorkers(deployment, cleanup);
    const worker = await workers.start();
    await operator.jobs.run(id);
    await reached(operator, id, 'succeeded');
    same(await worker.drain(), 0, 'the exit code of the worker');
  });
  await destroy(deployment, inNewStage);
}
