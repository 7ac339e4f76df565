// The quick path of docs/deploy.md, from the outputs of the stack to the first job, as the text of the document has it.
import { systemRandom } from '../../../src/runtime/random.ts';
import { holds } from '../check.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Deployment } from '../deployment.ts';
import type { Step } from '../report.ts';
import { adapted, blockOf, runCommands } from './guide.ts';

/** The commands after `cdk deploy`, up to the first job. The commands before it are steps of their own. */
function commands(): string {
  const found = /^output\(\) .*^npx punctual create [^\n]*\n/ms.exec(blockOf('Quick path', 'sh'))?.[0];
  holds(found, 'docs/deploy.md has the commands of the quick path');
  return found;
}

export async function followQuickPath(
  { outputsFile, outputs, emulator }: Deployment,
  step: Step,
  cleanup: Cleanup,
): Promise<void> {
  await step('the quick path of docs/deploy.md, from the outputs to a job', async (note) => {
    const { hostname } = new URL(outputs.Url ?? '');
    const script = adapted(commands(), [
      ['./outputs.json', outputsFile],
      // Nobody types a password here.
      ['read -rs PASSWORD', `PASSWORD=Aa1-${systemRandom.id(24)}`],
      // The user of the document exists already.
      ['ann@example.com', 'quick@example.com'],
      // Node cannot resolve the host of the emulator. It has the same API under a path.
      ['$(output Url)', `'${emulator.endpoint}/_aws/execute-api/${hostname.split('.')[0]}/$default'`],
    ]);
    const output = await runCommands(script, emulator, cleanup);
    const id = /job_\w+/.exec(output)?.[0];
    holds(id, `the last command prints a job: ${output}`);
    note(id);
  });
}
