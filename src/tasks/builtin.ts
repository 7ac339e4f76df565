// The tasks that come with Punctual. A task is registered by standing here.
import { http } from './http.ts';
import { noop } from './noop.ts';
import type { Task, Tasks } from './task.ts';

const BUILTIN: readonly Task<unknown>[] = [http, noop];

export const builtinTasks = (): Tasks => new Map(BUILTIN.map((task) => [task.name, task]));
