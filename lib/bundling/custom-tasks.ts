// Generates an entry point that registers the custom tasks of `tasks/` and then starts the real entry. The tasks are part
// of the same bundle, because errors such as `DoNotRetry` are recognised by their class.
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isTaskFile } from '../../src/tasks/custom-tasks.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * The contents for esbuild's `stdin`, whose `resolveDir` must be ROOT. `exported` names the export of the entry. It is
 * undefined if the entry exports nothing.
 */
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
