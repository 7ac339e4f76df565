// The task of simulated jobs. It is short or longer than a lease, and it succeeds, fails, asks for a later retry or saves
// its progress. It always stops when it is told to.
import { z } from 'zod';
import {
  DoNotRetry,
  defineTask,
  RetryAfter,
  type Task,
  type TaskContext,
  type Tasks,
} from '../../src/tasks/task.ts';
import type { InHand } from './checks.ts';
import type { Process } from './process.ts';
import type { SimulatedWorld } from './simulated-world.ts';

class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
}

const params = z.unknown();

export function simulatedTask(world: SimulatedWorld, inHand: InHand, failing: number): Tasks {
  const task: Task<unknown> = defineTask({
    name: 'simulated',
    description: 'of the simulator',
    params,
    run: (ctx) => run(world, inHand, failing, ctx),
  });
  return new Map([[task.name, task]]);
}

async function run(
  world: SimulatedWorld,
  inHand: InHand,
  failing: number,
  ctx: TaskContext<unknown>,
): Promise<unknown> {
  const { checks, random } = world;
  const { process } = inHand;
  const what = checks.started(inHand, ctx);
  const name = checks.nameOf(what.jobId, what.due);
  world.trace?.(
    process,
    `RUNS ${name} attempt ${ctx.attempt} fence ${ctx.fence}${ctx.signal.aborted ? ' (told to stop)' : ''}`,
  );
  try {
    const result = await work(world, process, world.isCalm ? 0 : failing, ctx, random.float());
    checks.ended(what, 'succeeded');
    world.trace?.(process, `has run ${name}`);
    return result;
  } catch (error) {
    checks.ended(what, 'failed');
    world.trace?.(process, `${name} ends with ${String(error)}`);
    throw error;
  }
}

async function work(
  world: SimulatedWorld,
  process: Process,
  failing: number,
  ctx: TaskContext<unknown>,
  x: number,
): Promise<unknown> {
  const { random, settings, isCalm } = world;
  const pause = async (ms: number) => {
    await world.sleep(process, ms, ctx.signal);
    ctx.signal.throwIfAborted();
  };
  ctx.signal.throwIfAborted();
  const long = !isCalm && x < world.profile.longRuns;
  const ms = long
    ? random.int(settings.heartbeatMs, settings.leaseMs * 2)
    : random.int(0, random.chance(0.5) ? 20 : 1500);
  if (!isCalm && random.chance(Math.max(0.2, world.profile.slowBeats))) {
    await pause(ms / 2);
    const saved = ctx.checkpoint({ half: true });
    if (random.chance(0.5)) await saved;
    else await saved.catch(() => undefined);
    ctx.signal.throwIfAborted();
  }
  await pause(ms);
  if (random.chance(failing)) {
    const how = random.float();
    if (how < 0.15) throw new DoNotRetry('not like this');
    if (how < 0.3) throw new RetryAfter(random.pick([0, 2, 8, random.chance(0.1) ? 900 : 4]), 'not now');
    throw new TaskFailed('it did not work');
  }
  return { ms };
}
