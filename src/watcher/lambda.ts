// The watcher on Lambda: a pass per call, which ends before its time is over, and says how it went.

import { minuteOf } from '../domain/executions/slots.ts';
import { parse } from '../domain/validation/validation.ts';
import { carryOutOperations } from '../jobs/operations/carry-out.ts';
import { ConfigError, type Environment } from '../runtime/config.ts';
import { createLambdaRuntime, workQueue } from '../runtime/lambda-context.ts';
import { createMetrics, MINUTES_SHOWN, Units } from '../runtime/metrics.ts';
import { publishingFromEnvironment } from '../runtime/publishing.ts';
import type { Context } from '../scheduling/context.ts';
import { type Watched, watch } from '../scheduling/planning/watch-shards.ts';
import { type Forecast, forecast } from './forecast.ts';
import { passSchema, shardsOf } from './shard-ranges.ts';

/** Before Lambda ends it: enough for the slot in hand and the release of its shard. */
const STOP_BEFORE_MS = 15_000;

/** Counted from the beginning of the call: then the next minute's pass goes on with background operations. */
const OPERATIONS_UNTIL_MS = 50_000;

export interface Pass extends Watched {
  readonly lagSeconds: number;
  readonly forecast: Forecast;
}

export type WatcherHandler = (
  event: unknown,
  invocation: { getRemainingTimeInMillis(): number },
) => Promise<Pass>;

export function createWatcher(env: Environment): WatcherHandler {
  const units = new Units('watcher');
  const lambda = createLambdaRuntime('punctual-watcher', env, units.meter);
  const { context: base, prefix, clients } = lambda;
  const metrics = createMetrics(prefix);
  const context = publishingFromEnvironment({ ...base, queue: workQueue(env, lambda) }, clients.sqs, env);
  const { clock, settings } = context;

  return async (event, invocation) => {
    lambda.begin();
    const { value: asked, errors } = parse(passSchema, event);
    if (errors)
      throw new ConfigError(errors.map(({ path, message }) => `event ${path} ${message}`).join('\n'));
    const shards = shardsOf(asked);
    const signal = AbortSignal.timeout(Math.max(0, invocation.getRemainingTimeInMillis() - STOP_BEFORE_MS));
    const operationsEnd = clock.monotonic() + OPERATIONS_UNTIL_MS;
    // where the cursors should be when it is done; by then the next minute may have begun
    const horizon = minuteOf(clock.now() + settings.lookAheadMs);
    const watched = await watch(context, shards, signal, { recover: asked.recover });
    const pass = {
      ...watched,
      lagSeconds: await lagOf(context, shards, horizon),
      forecast: await forecast(context, shards, signal),
    };
    metrics.add('Dispatched', pass.sent);
    metrics.add('SettleCorrections', pass.corrected);
    metrics.add('DispatchLag', pass.lagSeconds);
    // a pass that ran out of time has not counted all of it: workers would be taken away when they are needed most
    if (!signal.aborted) {
      metrics.add('DuePerMinute', Math.max(...pass.forecast.perMinute));
      metrics.add('DuePerSecond', pass.forecast.busiestSecond);
      for (const [minute, due] of comingMinutes(pass.forecast)) metrics.add('DueInMinutes', due, { minute });
    }
    metrics.add('ClockOffset', Math.abs(clock.offBy?.() ?? 0));
    units.report(metrics);
    metrics.flush();
    context.log.info('watched', { ...asked, ...pass });
    await carryOutOperations(context, () => !signal.aborted && clock.monotonic() < operationsEnd);
    return pass;
  };
}

/** By how many minutes from now; the current one is partly over and left out. Every value of a dimension is a metric. */
const comingMinutes = ({ perMinute }: Forecast): [minute: string, due: number][] =>
  perMinute.slice(1, 1 + MINUTES_SHOWN).map((due, index) => [String(index + 1), due]);

/** Of the slowest shard, from where its cursor should be. 1 RRU per shard. */
async function lagOf({ store }: Context, shards: readonly number[], horizon: number): Promise<number> {
  const rows = await Promise.all(shards.map((shard) => store.readShard(shard)));
  const behind = rows.map((row) => (row ? horizon - row.dispatchedUntil : 0));
  return Math.max(0, ...behind) * 60;
}
