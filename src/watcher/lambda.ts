// The watcher on Lambda: one pass per invocation, with a deadline and metrics.

import { minuteOf } from '../domain/executions/slots.ts';
import { parse } from '../domain/validation/validation.ts';
import { carryOutOperations } from '../jobs/operations/carry-out.ts';
import { type Forecast, forecast } from '../queries/forecast.ts';
import { ConfigError, type Environment } from '../runtime/config.ts';
import { createLambdaRuntime, workQueue } from '../runtime/lambda-context.ts';
import { createMetrics, MINUTES_SHOWN, Units } from '../runtime/metrics.ts';
import { publishingFromEnvironment } from '../runtime/publishing.ts';
import type { Context } from '../scheduling/context.ts';
import { type Watched, watch } from '../scheduling/planning/watch-shards.ts';
import { passSchema, shardsOf } from './shard-ranges.ts';

/** The pass stops this long before Lambda's timeout, which is enough for the current slot and the release of its shard. */
const STOP_BEFORE_MS = 15_000;

/** Background operations stop this long after the start of the invocation. The pass of the next minute continues them. */
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
  const lambda = createLambdaRuntime('punctual-watcher', env, { meter: units.meter });
  const { context: base, prefix, clients } = lambda;
  const metrics = createMetrics(prefix);
  const context = publishingFromEnvironment({ ...base, queue: workQueue(env, lambda) }, clients.sqs, env);
  const { clock, settings } = context;

  return async (event, invocation) => {
    lambda.begin();
    const { value: request, errors } = parse(passSchema, event);
    if (errors)
      throw new ConfigError(errors.map(({ path, message }) => `event ${path} ${message}`).join('\n'));
    const shards = shardsOf(request);
    const signal = AbortSignal.timeout(Math.max(0, invocation.getRemainingTimeInMillis() - STOP_BEFORE_MS));
    const operationsEnd = clock.monotonic() + OPERATIONS_UNTIL_MS;
    // the target of the cursors is fixed now, because the next minute may begin during the pass
    const horizon = minuteOf(clock.now() + settings.lookAheadMs);
    const watched = await watch(context, shards, signal, { recover: request.recover });
    const pass = {
      ...watched,
      lagSeconds: await lagOf(context, shards, horizon),
      forecast: await forecast(context, shards, { signal }),
    };
    metrics.add('Dispatched', pass.sent);
    metrics.add('SettleCorrections', pass.corrected);
    metrics.add('DispatchLag', pass.lagSeconds);
    // a pass that ran out of time has an incomplete forecast, which would remove workers under high load
    if (!signal.aborted) {
      metrics.add('DuePerMinute', Math.max(...pass.forecast.perMinute));
      metrics.add('DuePerSecond', pass.forecast.busiestSecond);
      for (const [minute, due] of comingMinutes(pass.forecast)) metrics.add('DueInMinutes', due, { minute });
    }
    metrics.add('ClockOffset', Math.abs(clock.offBy?.() ?? 0));
    units.report(metrics);
    metrics.flush();
    context.log.info('watcher pass finished', { ...request, ...pass });
    await carryOutOperations(context, () => !signal.aborted && clock.monotonic() < operationsEnd);
    return pass;
  };
}

/** The forecast by minutes from now, for the metric's dimension. The current minute is partly over and left out. */
const comingMinutes = ({ perMinute }: Forecast): [minute: string, due: number][] =>
  perMinute.slice(1, 1 + MINUTES_SHOWN).map((due, index) => [String(index + 1), due]);

/** The lag of the slowest shard behind `horizon`, in seconds. 1 RRU per shard. */
async function lagOf({ store }: Context, shards: readonly number[], horizon: number): Promise<number> {
  const rows = await Promise.all(shards.map((shard) => store.readShard(shard)));
  const behind = rows.map((row) => (row ? horizon - row.dispatchedUntil : 0));
  return Math.max(0, ...behind) * 60;
}
