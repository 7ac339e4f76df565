// Generates modules that contain custom tasks. For a checkout it is an entry point, which registers the tasks and starts the real
// entry. For a prebuilt program it is the module of tasks that the program imports.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTaskFile } from '../../src/tasks/custom-tasks.ts';
import { ROOT } from './entries.ts';

/**
 * The contents for esbuild's `stdin`, whose `resolveDir` must be ROOT. `exported` names the export of the entry. It is
 * undefined if the entry exports nothing.
 */
export function entryWithTasks(
  entry: string,
  exported?: string,
  folder: string = join(ROOT, 'tasks'),
): string {
  return entryWithModules(tasksModule(folder, 'const'), entry, exported);
}

/** `modules` is a statement that declares `modules`. */
export function entryWithModules(modules: string, entry: string, exported?: string): string {
  const start = `await import(${JSON.stringify(join(ROOT, entry))})`;
  return [
    `import { bundledTasks } from ${JSON.stringify(join(ROOT, 'src/tasks/custom-tasks.ts'))};`,
    modules,
    'bundledTasks.modules = modules;',
    exported === undefined ? `${start};` : `export const { ${exported} } = ${start};`,
  ].join('\n');
}

/** A module whose export `modules` has the task files of the folder by name. */
export function tasksModule(folder: string, declaration: 'const' | 'export const' = 'export const'): string {
  const files = existsSync(folder) ? readdirSync(folder).filter(isTaskFile).sort() : [];
  const imports = files.map(
    (file, index) => `import * as task${index} from ${JSON.stringify(join(folder, file))};`,
  );
  const modules = files.map((file, index) => `${JSON.stringify(`tasks/${file}`)}: task${index}`);
  return [...imports, `${declaration} modules = { ${modules.join(', ')} };`].join('\n');
}
