// The quick path of docs/deploy.md, from the outputs of the stack to the first job, as the text of the document has it.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemRandom } from '../../../src/runtime/random.ts';
import { holds } from '../check.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Deployment } from '../deployment.ts';
import { emulatorPython } from '../emulator/python.ts';
import { bash } from '../programs.ts';
import type { Step } from '../report.ts';

const GUIDE = resolve(import.meta.dirname, '../../../docs/deploy.md');

/** The commands after `cdk deploy`, up to the first job. The commands before it are steps of their own. */
function commands(): string {
  const block = /## Quick path\n```sh\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const found = /^output\(\) .*^npx punctual create [^\n]*\n/ms.exec(block)?.[0];
  holds(found, 'docs/deploy.md has the commands of the quick path');
  return found;
}

/** Changes of the text for this machine. Each must be found, so that none is left out unseen. */
function adapted({ outputsFile, emulator, outputs }: Deployment): string {
  const { hostname } = new URL(outputs.Url ?? '');
  const changes: readonly [from: string, to: string][] = [
    ['./outputs.json', outputsFile],
    // Nobody types a password here.
    ['read -rs PASSWORD', `PASSWORD=Aa1-${systemRandom.id(24)}`],
    // The user of the document exists already.
    ['ann@example.com', 'quick@example.com'],
    // Node cannot resolve the host of the emulator. It has the same API under a path.
    ['$(output Url)', `'${emulator.endpoint}/_aws/execute-api/${hostname.split('.')[0]}/$default'`],
  ];
  return changes.reduce((text, [from, to]) => {
    holds(text.includes(from), `the quick path contains ${from}`);
    return text.replaceAll(from, () => to);
  }, commands());
}

export async function followQuickPath(deployment: Deployment, step: Step, cleanup: Cleanup): Promise<void> {
  await step('the quick path of docs/deploy.md, from the outputs to a job', async (note) => {
    const folder = cleanup.folder('quick-path');
    const aws = join(folder, 'aws');
    writeFileSync(aws, `#!/bin/sh\nexec '${emulatorPython()}' -m awscli "$@"\n`);
    chmodSync(aws, 0o755);
    const { env } = deployment.emulator;
    const output = await bash(`set -euo pipefail\n${adapted(deployment)}`, {
      ...env,
      PATH: `${folder}:${env.PATH}`,
    });
    const id = /job_\w+/.exec(output)?.[0];
    holds(id, `the last command prints a job: ${output}`);
    note(id);
  });
}
