// The commands and files of docs/deploy.md, so that they run as people read them.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { holds } from '../check.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Emulator } from '../emulator/ministack.ts';
import { emulatorPython } from '../emulator/python.ts';
import { bash } from '../programs.ts';

const GUIDE = resolve(import.meta.dirname, '../../../docs/deploy.md');

/** The first block of this language in the section. */
export function blockOf(section: string, language: 'sh' | 'json'): string {
  const [, text = ''] = readFileSync(GUIDE, 'utf8').split(`\n## ${section}\n`);
  const block = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text.split('\n## ')[0] ?? '')?.[1];
  holds(block, `docs/deploy.md has a block of ${language} in the section "${section}"`);
  return block;
}

/** Changes of the text for this machine. Each must be found, so that none is left out unseen. */
export function adapted(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    holds(changed.includes(from), `docs/deploy.md contains ${from}`);
    return changed.replaceAll(from, () => to);
  }, text);
}

/** Runs commands in the folder of the checkout, with the CLI of AWS for the emulator. */
export function runCommands(script: string, { env }: Emulator, cleanup: Cleanup): Promise<string> {
  const folder = cleanup.folder('commands');
  const aws = join(folder, 'aws');
  writeFileSync(aws, `#!/bin/sh\nexec '${emulatorPython()}' -m awscli "$@"\n`);
  chmodSync(aws, 0o755);
  return bash(`set -euo pipefail\n${script}`, { ...env, PATH: `${folder}:${env.PATH}` });
}
