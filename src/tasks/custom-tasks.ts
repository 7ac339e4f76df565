// Loads the custom tasks: the files of the folder `tasks/` in the working directory. The API describes them and checks params
// with them. The worker runs them.
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { defineTask, type Task, type Tasks } from './task.ts';

/** The default folder, in the working directory. `npm start` of a checkout has the checkout's. */
export const TASKS_FOLDER = 'tasks';

/** A mistake in a file of the folder. The message begins with the name of the file. */
export class CustomTaskError extends Error {
  override readonly name = 'CustomTaskError';
}

type Module = Readonly<Record<string, unknown>>;

/**
 * The modules of custom tasks in a bundle, which has no folder. The entry point sets them before any other code runs
 * (lib/bundling/custom-tasks.ts).
 */
export const bundledTasks: { modules?: Readonly<Record<string, Module>> } = {};

/** Adds the custom tasks to `tasks`. */
export async function withCustomTasks(tasks: Tasks, folder: string = TASKS_FOLDER): Promise<Tasks> {
  const all = new Map(tasks);
  const files = new Map<string, string>();
  for (const [file, module] of Object.entries(bundledTasks.modules ?? (await modulesIn(folder)))) {
    for (const task of tasksOf(file, module)) {
      if (all.has(task.name)) {
        const owner = files.get(task.name) ?? 'the built-in tasks';
        throw new CustomTaskError(
          `${file}: the task name "${task.name}" is already used in ${owner}; choose another name`,
        );
      }
      all.set(task.name, task);
      files.set(task.name, file);
    }
  }
  return all;
}

/** False for tests, declarations, and files that begin with "_", which contain code that tasks share. */
export const isTaskFile = (name: string): boolean =>
  /^[^_.].*\.(ts|mts|js|mjs)$/.test(name) && !/\.(test|spec|d)\.[a-z]+$/.test(name);

async function modulesIn(name: string): Promise<Record<string, Module>> {
  const folder = resolve(name);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new CustomTaskError(`${folder}: the folder of custom tasks cannot be read: ${error.message}`);
  });
  const modules: Record<string, Module> = {};
  for (const fileName of names.filter(isTaskFile).sort()) {
    const file = join(folder, fileName);
    modules[shortName(file)] = (await import(pathToFileURL(file).href).catch((error: unknown) => {
      throw new CustomTaskError(`${shortName(file)}: the file cannot be loaded: ${loadingError(error)}`, {
        cause: error,
      });
    })) as Module;
  }
  return modules;
}

/** `npm init` writes `"type": "commonjs"`, and then a file with imports must be named `.mts` or `.mjs`. */
function loadingError(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return error instanceof SyntaxError && /import statement|'export'/.test(reason)
    ? `${reason}. Set "type": "module" in package.json, or give the file the extension .mts or .mjs.`
    : reason;
}

const shortName = (file: string): string => {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
};

function tasksOf(file: string, module: Module): Task[] {
  const found = [...new Set(Object.values(module).filter(looksLikeTask))];
  if (found.length === 0) {
    throw new CustomTaskError(
      `${file}: the file exports no task; it must export the result of defineTask({ name, description, params, run }), got ${Object.keys(module).join(', ') || 'no exports'}`,
    );
  }
  return found.map((task) => checked(file, task));
}

const looksLikeTask = (value: unknown): value is Task =>
  typeof value === 'object' && value !== null && 'name' in value && 'run' in value && 'params' in value;

function checked(file: string, task: Task): Task {
  const invalid = (reason: string) => new CustomTaskError(`${file}: the task "${task.name}" ${reason}`);
  if (typeof task.run !== 'function') throw invalid('has no function `run`');
  if (typeof task.description !== 'string' || task.description === '') throw invalid('has no description');
  if (!(task.params instanceof Object) || !('safeParse' in task.params))
    throw invalid('has no zod schema as `params`');
  try {
    defineTask(task); // checks the name
    z.toJSONSchema(task.params, { io: 'input' });
  } catch (error) {
    throw invalid(
      `cannot be described as JSON Schema: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return task;
}
