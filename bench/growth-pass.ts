// A watcher's work on one slot, in a separate process, so that its CPU and memory can be measured. The first argument is
// the work as JSON, and the output is the usage as JSON.
import { pathToFileURL } from 'node:url';
import { minuteEnd, minuteStart } from '../src/domain/executions/slots.ts';
import { forecast } from '../src/queries/forecast.ts';
import { systemClock } from '../src/runtime/clock/system-clock.ts';
import { type Context, DEFAULT_SETTINGS } from '../src/scheduling/context.ts';
import { dispatchSlot } from '../src/scheduling/planning/dispatch-slot.ts';
import { settleSlot } from '../src/scheduling/planning/settle-slot.ts';
import { type Endpoints, openMetered, type Units } from './metered.ts';

export interface Pass {
  readonly endpoints: Endpoints;
  readonly prefix: string;
  readonly work: 'dispatch' | 'settle' | 'forecast';
  readonly minute: number;
  readonly times: number;
  /** A small slot that is dispatched first, so that the measurement does not include compiling the code. */
  readonly warmUp: number;
}

/** The usage of one pass. */
export interface Used extends Units {
  readonly ms: number;
  readonly cpuMs: number;
  /** The peak of the process. */
  readonly peakMb: number;
}

const SHARD = 0;
const WARM_UPS = 20;
const { lookAheadMs, settleLagMs } = DEFAULT_SETTINGS;

const WORK: Record<Pass['work'], (context: Context, minute: number) => Promise<unknown>> = {
  dispatch: (context, minute) => dispatchSlot(context, SHARD, minute),
  settle: (context, minute) => settleSlot(context, SHARD, minute, minute),
  forecast: (context) => forecast(context, [SHARD]),
};

async function run({ endpoints, prefix, work, minute, times, warmUp }: Pass): Promise<Used> {
  const used: Units = { write: 0, read: 0, requests: 0 };
  let now = minuteStart(minute);
  if (work === 'dispatch') now -= lookAheadMs;
  if (work === 'settle') now = minuteEnd(minute) + settleLagMs;
  const { context, close } = await openMetered({
    endpoints,
    prefix,
    clock: { ...systemClock, now: () => now },
    settings: { ...DEFAULT_SETTINGS, shards: 1 },
    count: (_operation, units) => {
      for (const unit of ['write', 'read', 'requests'] as const) used[unit] += units[unit];
    },
  });
  for (let i = 0; i < WARM_UPS; i++) await WORK.dispatch(context, warmUp);
  if (work !== 'dispatch') await WORK[work](context, minute);
  for (const unit of ['write', 'read', 'requests'] as const) used[unit] = 0;
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  for (let i = 0; i < times; i++) await WORK[work](context, minute);
  const { user, system } = process.cpuUsage(began.cpu);
  const ms = performance.now() - began.at;
  close();
  return {
    ms: ms / times,
    cpuMs: (user + system) / 1000 / times,
    peakMb: process.resourceUsage().maxRSS / 1024,
    write: used.write / times,
    read: used.read / times,
    requests: used.requests / times,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}'))));
