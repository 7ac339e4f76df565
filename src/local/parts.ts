// The parts of local mode: the API, the watcher and the worker, each as `npm start` runs it beside the others and as it
// runs in a process of its own.
import { hostname } from 'node:os';
import { type ApiHandler, createApi } from '../api/handler.ts';
import { routes } from '../api/routes.ts';
import type { Context, Log } from '../scheduling/context.ts';
import { createLog, systemRandom } from '../system.ts';
import { builtinTasks } from '../tasks/builtin.ts';
import { allShards, runWatcher } from '../watcher/main.ts';
import { startWorker } from '../worker/worker.ts';
import type { LocalConfig } from './config.ts';
import type { Backend } from './connect.ts';
import type { Running } from './run.ts';
import { createAuthorizer, tokenKey } from './tokens.ts';

/** To stderr: stdout is for what people are meant to read. */
export const localLog = (config: LocalConfig, part: string): Log =>
  createLog(config.logLevel, { part }, (line) => process.stderr.write(line));

/** Both services behind one address. */
export async function localApi(config: LocalConfig, ctx: Context): Promise<ApiHandler> {
  const authorize = await createAuthorizer(await tokenKey(config.dataFolder));
  return createApi(routes(ctx, builtinTasks()), { log: ctx.log, authorize });
}

export function startLocalWatcher(ctx: Context, running: Running): void {
  const watching = runWatcher(ctx, allShards(ctx.settings.shards), running.stopping);
  running.defer(() => watching);
}

export function startLocalWorker(config: LocalConfig, { ctx, inboxes }: Backend, running: Running): string {
  const worker = startWorker(ctx, {
    workerId: `${hostname()}-${process.pid}-${systemRandom.id(4)}`,
    host: hostname(),
    tasks: builtinTasks(),
    inboxes,
    concurrency: config.concurrency,
  });
  running.defer(() => worker.stop({ deadlineMs: config.drainMs }));
  return worker.workerId;
}
