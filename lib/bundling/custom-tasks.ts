// Custom tasks in a bundle: an entry point that hands the files of `tasks/` over before it starts the real one. They are
// part of the same bundle, because what they throw (`DoNotRetry` and its kin) is known by its class.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isTaskFile } from '../../src/tasks/custom-tasks.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Contents for esbuild's `stdin`, with `resolveDir` the top of the checkout. `exported` is what the entry exports, if anything. */
export function entryWithTasks(
  entry: string,
  exported?: string,
  folder: string = join(ROOT, 'tasks'),
): string {
  const files = existsSync(folder) ? readdirSync(folder).filter(isTaskFile).sort() : [];
  const imports = files.map(
    (file, index) => `import * as task${index} from ${JSON.stringify(join(folder, file))};`,
  );
  const modules = files.map((file, index) => `${JSON.stringify(`tasks/${file}`)}: task${index}`);
  const start = `await import(${JSON.stringify(join(ROOT, entry))})`;
  return [
    `import { bundledTasks } from ${JSON.stringify(join(ROOT, 'src/tasks/custom-tasks.ts'))};`,
    ...imports,
    `bundledTasks.modules = { ${modules.join(', ')} };`,
    exported === undefined ? `${start};` : `export const { ${exported} } = ${start};`,
  ].join('\n');
}
