// The parts of local mode: the API, the watcher and the worker, each as `npm start` runs it beside the others and as it
// runs in a process of its own.
import { hostname } from 'node:os';
import { type ApiHandler, createApi } from '../api/handler.ts';
import { runIngest } from '../api/ingest.ts';
import { routes } from '../api/routes.ts';
import type { Context, Log } from '../scheduling/context.ts';
import { createQuotas } from '../scheduling/quotas.ts';
import { createLog, systemRandom } from '../system.ts';
import { allShards, runWatcher } from '../watcher/main.ts';
import { startWorker } from '../worker/worker.ts';
import type { LocalConfig } from './config.ts';
import type { Backend } from './connect.ts';
import type { Running } from './run.ts';
import { describedTasks, localTasks } from './tasks.ts';
import { createAuthorizer, tokenKey } from './tokens.ts';

/** To stderr: stdout is for what people are meant to read. */
export const localLog = (config: LocalConfig, part: string): Log =>
  createLog(config.logLevel, { part }, (line) => process.stderr.write(line));

/** Both services behind one address, and the consumer of the jobs that they accept. */
export async function startLocalApi(
  { dataFolder, api }: LocalConfig,
  { ctx, ingest }: Backend,
  running: Running,
): Promise<ApiHandler> {
  const authorize = await createAuthorizer(await tokenKey(dataFolder));
  const quotas = createQuotas(ctx, api.quotas);
  const consuming = runIngest(ctx, quotas, ingest.inbox, running.stopping);
  running.defer(() => consuming);
  const all = routes(ctx, await describedTasks(process.env), { quotas, ingest: ingest.queue });
  return createApi(all, { log: ctx.log, authorize, corsOrigins: api.corsOrigins });
}

export function startLocalWatcher(ctx: Context, running: Running): void {
  const watching = runWatcher(ctx, allShards(ctx.settings.shards), running.stopping);
  running.defer(() => watching);
}

export async function startLocalWorker(
  config: LocalConfig,
  { ctx, inboxes, aws }: Backend,
  running: Running,
): Promise<string> {
  const worker = startWorker(ctx, {
    workerId: `${hostname()}-${process.pid}-${systemRandom.id(4)}`,
    host: hostname(),
    tasks: await localTasks(config, aws, process.env),
    inboxes,
    concurrency: config.concurrency,
  });
  running.defer(() => worker.stop({ deadlineMs: config.drainMs }));
  return worker.workerId;
}
