// The routes that show the state of the deployment to operators: workers, shards and coming load.
import { minuteOf, minuteStart } from '../../domain/executions/slots.ts';
import { requireOperator } from '../../jobs/access.ts';
import { type Forecast, forecast } from '../../queries/forecast.ts';
import { getSystem, type ShardState, type SystemState } from '../../queries/get-system.ts';
import { listWorkers } from '../../queries/list-workers.ts';
import { VERSION } from '../../runtime/version.ts';
import type { Context } from '../../scheduling/context.ts';
import type { WorkerRow } from '../../store/store.ts';
import { cacheFor } from '../../tasks/cache-for.ts';
import { contract } from '../contract/contract.ts';
import { type ForecastView, MAX_FORECAST, type SystemView } from '../contract/operators.ts';
import type { WorkerView } from '../contract/response-schemas.ts';
import { type Route, route } from '../http/route.ts';

/** Several operators who look at the same page cost as many reads as one. */
const SYSTEM_CACHE_MS = 5_000;
const FORECAST_CACHE_MS = 10_000;

export function operatorRoutes(ctx: Context): Route[] {
  const { clock, settings } = ctx;
  const monotonic = () => clock.monotonic();
  const counted = cacheFor(
    FORECAST_CACHE_MS,
    async () => {
      const countedAt = clock.now();
      const shards = Array.from({ length: settings.shards }, (_, shard) => shard);
      const options = { maxEntries: MAX_FORECAST, consistent: false };
      return forecastView(await forecast(ctx, shards, options), countedAt);
    },
    monotonic,
  );
  const system = cacheFor(SYSTEM_CACHE_MS, () => getSystem(ctx), monotonic);
  return [
    route(contract.listWorkers, {
      handle: async (_, principal) => ({
        body: { items: (await listWorkers(ctx, principal)).map(workerView) },
      }),
    }),
    route(contract.getForecast, {
      async handle(_, principal) {
        requireOperator(principal, '/forecast');
        return { body: await counted() };
      },
    }),
    route(contract.getSystem, {
      async handle(_, principal) {
        requireOperator(principal, '/system');
        return { body: systemView(await system(), settings.lookAheadMs) };
      },
    }),
  ];
}

const iso = (time: number): string => new Date(time).toISOString();

const workerView = (worker: WorkerRow): WorkerView => ({
  id: worker.workerId,
  host: worker.host,
  startedAt: iso(worker.startedAt),
  lastSeenAt: iso(worker.beatAt),
  running: worker.running.map(({ id, since, owner }) => ({ id, since: iso(since), ...(owner && { owner }) })),
  ...(worker.concurrency !== undefined && { concurrency: worker.concurrency, recent: recentOf(worker) }),
  ...(worker.version !== undefined && { version: worker.version }),
  ...(worker.draining && { draining: true }),
});

/** The current minute of the heartbeat and the four before it. */
const MINUTES_SHOWN = 5;

/** One element per minute, newest first. The row leaves out minutes and outcomes without executions. */
function recentOf({ beatAt, ended = [] }: WorkerRow): WorkerView['recent'] {
  return Array.from({ length: MINUTES_SHOWN }, (_, before) => {
    const minute = minuteOf(beatAt) - before;
    const {
      succeeded = 0,
      failed = 0,
      skipped = 0,
      cancelled = 0,
    } = ended.find((one) => one.minute === minute) ?? {};
    return { at: iso(minuteStart(minute)), succeeded, failed, skipped, cancelled };
  });
}

const forecastView = (
  { perMinute, busiestSecond, truncated }: Forecast,
  countedAt: number,
): ForecastView => ({
  countedAt: iso(countedAt),
  items: perMinute.map((due, offset) => ({ at: iso(minuteStart(minuteOf(countedAt) + offset)), due })),
  ...{ busiestSecond, truncated },
});

function systemView(state: SystemState, lookAheadMs: number): SystemView {
  const { engine, readAt, horizon, shards } = state;
  const dispatchLagSeconds = slowest('dispatchLagSeconds', shards);
  const settleLagSeconds = slowest('settleLagSeconds', shards);
  return {
    ...{ version: VERSION, engine, readAt: iso(readAt), horizon: iso(horizon) },
    lookAheadSeconds: lookAheadMs / 1000,
    ...(dispatchLagSeconds !== undefined && { dispatchLagSeconds }),
    ...(settleLagSeconds !== undefined && { settleLagSeconds }),
    shardCount: shards.length,
    shards: shards.map(({ dispatchedUntil, settledUntil, ...others }) => ({
      ...others,
      ...(dispatchedUntil !== undefined && { dispatchedUntil: iso(dispatchedUntil) }),
      ...(settledUntil !== undefined && { settledUntil: iso(settledUntil) }),
    })),
  };
}

/** Undefined if no shard has a cursor. */
function slowest(
  name: 'dispatchLagSeconds' | 'settleLagSeconds',
  shards: readonly ShardState[],
): number | undefined {
  const lags = shards.flatMap((shard) => shard[name] ?? []);
  return lags.length === 0 ? undefined : Math.max(...lags);
}
