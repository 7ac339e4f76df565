// The lateness of a load that goes from 0 to 5,000 executions per second at once. Compares scaling by executions that will
// be due with scaling by waiting messages. The forecast and the steps are the deployed code. The service is a model of what
// AWS documents: metrics every minute, alarms after them, the start of a Fargate task.
import {
  AHEAD_COOLDOWN_SECONDS,
  addedFor,
  BEHIND_COOLDOWN_SECONDS,
  BEHIND_MINUTES,
  BEHIND_PERCENT,
} from '../lib/compute/scaling-steps.ts';
import type { Entry } from '../src/domain/executions/slots.ts';
import { forecast } from '../src/queries/forecast.ts';
import { createLog } from '../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../src/scheduling/context.ts';
import { MemoryStore } from '../src/store/memory/memory-store.ts';
import { allShards } from '../src/watcher/main.ts';
import { MemoryQueue } from '../test/support/memory-queue.ts';
import type { Report } from './report.ts';

const RATE = 5_000;
/** The number of executions that one entry represents. */
const EACH = 100;
const PER_WORKER = 100;
const MIN_WORKERS = 2;
const MAX_WORKERS = 100;

/** EventBridge invokes the watcher anywhere within the minute. The last second is the worst case. */
const PASS_AT_SECOND = 59;
/** From the end of a minute to the alarm's action. */
const ALARM_SECONDS = 60;
/** From the scaling action until a new worker polls. */
const START_SECONDS = 60;
const STARTS_PER_SECOND = 20;

const BEFORE_SECONDS = 600;
const SPIKE_SECONDS = 300;
const AFTER_SECONDS = 1_800;
const SPIKE_AT = Date.parse('2026-12-01T12:00:00Z');

export interface Lateness {
  readonly maxSeconds: number;
  readonly meanSeconds: number;
  /** The seconds from the start of the spike until nothing waits. */
  readonly caughtUpSeconds: number;
  readonly workersAtSpike: number;
}

export async function spikeLateness({ byForecast }: { byForecast: boolean }): Promise<Lateness> {
  let now = SPIKE_AT - BEFORE_SECONDS * 1000;
  const store = new MemoryStore({ shards: DEFAULT_SETTINGS.shards });
  await store.putEntries(entries());
  const context: Context = {
    store,
    queue: new MemoryQueue(),
    clock: { now: () => now, monotonic: () => now, sleep: async () => {} },
    random: { id: () => 'x', float: () => 0.5 },
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  };

  let running = MIN_WORKERS;
  let desired = MIN_WORKERS;
  const cooledAt = { ahead: Number.NEGATIVE_INFINITY, behind: Number.NEGATIVE_INFINITY };
  const starting: number[] = [];
  const actions: { at: number; by: 'ahead' | 'behind'; add: () => number }[] = [];
  let waiting = 0;
  let waitedMinutes = 0;
  /** The cumulated numbers of due and of started executions, for each second since the spike. */
  const due: number[] = [];
  const begun: number[] = [];
  let workersAtSpike = 0;

  for (let second = -BEFORE_SECONDS; second < SPIKE_SECONDS + AFTER_SECONDS; second++) {
    now = SPIKE_AT + second * 1000;
    const inMinute = ((second % 60) + 60) % 60;
    if (inMinute === PASS_AT_SECOND) {
      if (byForecast) {
        const { busiestSecond } = await forecast(context, allShards(DEFAULT_SETTINGS.shards));
        const wanted = Math.ceil((busiestSecond * EACH) / PER_WORKER);
        const missing = wanted - running;
        actions.push({ at: second + ALARM_SECONDS, by: 'ahead', add: () => addedFor(missing, MAX_WORKERS) });
      }
      waitedMinutes = waiting >= PER_WORKER * MIN_WORKERS ? waitedMinutes + 1 : 0;
      if (waitedMinutes >= BEHIND_MINUTES)
        actions.push({
          at: second + ALARM_SECONDS,
          by: 'behind',
          add: () => Math.ceil((desired * BEHIND_PERCENT) / 100),
        });
    }
    for (const { by, add } of actions.filter(({ at }) => at === second)) {
      const added = second < cooledAt[by] ? 0 : Math.min(add(), MAX_WORKERS - desired);
      if (added <= 0) continue;
      cooledAt[by] = second + (by === 'ahead' ? AHEAD_COOLDOWN_SECONDS : BEHIND_COOLDOWN_SECONDS);
      desired += added;
      for (let i = 0; i < added; i++)
        starting.push(second + START_SECONDS + Math.floor(i / STARTS_PER_SECOND));
    }
    running += starting.filter((at) => at === second).length;
    if (second === 0) workersAtSpike = running;

    if (second < 0) continue;
    const more = second < SPIKE_SECONDS ? RATE : 0;
    const served = Math.min(waiting + more, running * PER_WORKER);
    waiting += more - served;
    due.push((due.at(-1) ?? 0) + more);
    begun.push((begun.at(-1) ?? 0) + served);
  }
  // Executions start in the order of their due times. All of a second have started when as many have started as were due.
  const late = due.slice(0, SPIKE_SECONDS).map((all, second) => begun.findIndex((n) => n >= all) - second);
  const caughtUpSeconds = begun.findIndex((n) => n >= RATE * SPIKE_SECONDS) + 1;
  return {
    maxSeconds: Math.max(...late),
    meanSeconds: late.reduce((sum, one) => sum + one, 0) / late.length,
    caughtUpSeconds,
    workersAtSpike,
  };
}

function entries(): Entry[] {
  const found: Entry[] = [];
  for (let second = 0; second < SPIKE_SECONDS; second++) {
    for (let n = 0; n < RATE / EACH; n++) {
      const at = SPIKE_AT + second * 1000;
      found.push({ at, jobId: `job_${n}`, revision: 'r', due: String(at), kind: 'regular' });
    }
  }
  return found;
}

export async function spike(): Promise<Report> {
  const [planned, unplanned] = [
    await spikeLateness({ byForecast: true }),
    await spikeLateness({ byForecast: false }),
  ];
  const row = (name: string, { workersAtSpike, maxSeconds, meanSeconds, caughtUpSeconds }: Lateness) => [
    name,
    workersAtSpike,
    maxSeconds,
    meanSeconds,
    caughtUpSeconds,
  ];
  return {
    name: 'spike',
    command: 'npm run bench -- spike',
    tables: [
      {
        title: `0 → ${RATE} executions/s for ${SPIKE_SECONDS / 60} minutes, ${PER_WORKER}/s per worker, ${MIN_WORKERS} to ${MAX_WORKERS} workers`,
        columns: ['scaled by', 'workers when it begins', 'max lateness, s', 'mean, s', 'caught up after, s'],
        rows: [row('what will be due', planned), row('what waits', unplanned)],
      },
    ],
    notes: [
      `The forecast and the steps are the deployed code. The rest is a model: a pass in the last second of its minute, an alarm ${ALARM_SECONDS} s later, ${START_SECONDS} s until a worker polls, ${STARTS_PER_SECOND} starts a second.`,
      'The times of alarms and starts were not measured in an account.',
    ],
  };
}
