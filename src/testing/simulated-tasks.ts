// The tasks of a simulation. A task runs in real time, and virtual time passes only in `sleep` of its context.
import { z } from 'zod';
import { defineTask, type Task, type TaskContext, type Tasks } from '../tasks/task.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The context of a task in a simulation. */
export interface SimulatedContext<Params = Record<string, unknown>> extends TaskContext<Params> {
  /** Lets virtual time pass, as if the work took this long. Rejects at a timeout, a cancel or the end of the simulation. */
  sleep(ms: number): Promise<void>;
  /** The virtual time. */
  now(): Date;
}

/** The function of a task that stands for another one, such as `http`. Its params are not checked. */
export type SimulatedRun = (context: SimulatedContext) => unknown;

// biome-ignore lint/suspicious/noExplicitAny: a task with any params
type AnyTask = Task<any, any>;

/** Tasks by name: the tasks of `defineTask`, or functions that stand for them. */
export type SimulatedTasks = readonly AnyTask[] | Readonly<Record<string, AnyTask | SimulatedRun>>;

export function simulatedTasks(given: SimulatedTasks, clock: VirtualClock): Tasks {
  const named: readonly (readonly [string, Task | SimulatedRun])[] = Array.isArray(given)
    ? given.map((task) => [task.name, task])
    : Object.entries(given);
  return new Map(
    named.map(([name, task]) => [
      name,
      virtual(typeof task === 'function' ? standIn(name, task) : task, clock),
    ]),
  );
}

const standIn = (name: string, run: SimulatedRun): Task =>
  defineTask({
    name,
    description: 'stands for a task in a simulation',
    params: z.record(z.string(), z.unknown()),
    run: async (context) => run(context as SimulatedContext),
  }) as Task;

function virtual(task: Task, clock: VirtualClock): Task {
  return {
    ...task,
    run: (context) =>
      clock.inRealTime(`the task "${task.name}" of ${context.executionId}`, (pause) => {
        const simulated: SimulatedContext<unknown> = {
          ...context,
          now: () => new Date(clock.now()),
          async sleep(ms) {
            await pause(ms, context.signal);
            context.signal.throwIfAborted();
          },
        };
        return task.run(simulated);
      }),
  };
}
