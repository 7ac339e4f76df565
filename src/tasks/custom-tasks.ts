// Custom tasks: every file of the folder `tasks/` at the top of the checkout, found when a process starts. The API uses
// them to check params and to describe them, the worker runs them.
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { defineTask, type Task, type Tasks } from './task.ts';

/** Of this checkout. */
export const TASKS_FOLDER = join(import.meta.dirname, '..', '..', 'tasks');

/** What is wrong with a file of the folder; it begins with the file's name. */
export class CustomTaskError extends Error {
  override readonly name = 'CustomTaskError';
}

type Module = Readonly<Record<string, unknown>>;

/**
 * In a bundle there is no folder: whoever bundles puts the modules here before anything else runs (lib/bundling/custom-tasks.ts).
 * They cannot be bundled one by one, because `DoNotRetry` and its kin are known by their class.
 */
export const bundledTasks: { modules?: Readonly<Record<string, Module>> } = {};

/** The given tasks and the custom ones. */
export async function withCustomTasks(tasks: Tasks, folder: string = TASKS_FOLDER): Promise<Tasks> {
  const all = new Map(tasks);
  const files = new Map<string, string>();
  for (const [file, module] of Object.entries(bundledTasks.modules ?? (await modulesIn(folder)))) {
    for (const task of tasksOf(file, module)) {
      if (all.has(task.name)) {
        const owner = files.get(task.name) ?? 'the built-in tasks';
        throw new CustomTaskError(
          `${file}: there is a task "${task.name}" already, in ${owner}; choose another name`,
        );
      }
      all.set(task.name, task);
      files.set(task.name, file);
    }
  }
  return all;
}

/** Tests and declarations are no tasks; a file that begins with "_" is for the others to share. */
export const isTaskFile = (name: string): boolean =>
  /^[^_.].*\.(ts|mts|js|mjs)$/.test(name) && !/\.(test|spec|d)\.[a-z]+$/.test(name);

async function modulesIn(folder: string): Promise<Record<string, Module>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new CustomTaskError(`${folder}: the folder of tasks cannot be read: ${error.message}`);
  });
  const modules: Record<string, Module> = {};
  for (const name of names.filter(isTaskFile).sort()) {
    const file = join(folder, name);
    modules[shortName(file)] = (await import(pathToFileURL(file).href).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CustomTaskError(`${shortName(file)}: cannot be loaded: ${reason}`, { cause: error });
    })) as Module;
  }
  return modules;
}

const shortName = (file: string): string => {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
};

function tasksOf(file: string, module: Module): Task[] {
  const found = [...new Set(Object.values(module).filter(looksLikeTask))];
  if (found.length === 0) {
    throw new CustomTaskError(
      `${file}: exports no task; export what defineTask({ name, description, params, run }) returns. It exports: ${Object.keys(module).join(', ') || 'nothing'}`,
    );
  }
  return found.map((task) => checked(file, task));
}

const looksLikeTask = (value: unknown): value is Task =>
  typeof value === 'object' && value !== null && 'name' in value && 'run' in value && 'params' in value;

function checked(file: string, task: Task): Task {
  const wrong = (what: string) => new CustomTaskError(`${file}: the task "${task.name}" ${what}`);
  if (typeof task.run !== 'function') throw wrong('has no function `run`');
  if (typeof task.description !== 'string' || task.description === '') throw wrong('has no description');
  if (!(task.params instanceof Object) || !('safeParse' in task.params))
    throw wrong('has no zod schema as `params`');
  try {
    defineTask(task); // its name
    z.toJSONSchema(task.params, { io: 'input' });
  } catch (error) {
    throw wrong(`cannot be described: ${error instanceof Error ? error.message : String(error)}`);
  }
  return task;
}
