// The parts of local mode: the API, the watcher and the worker, each as `npm start` runs it beside the others and as it
// runs in a process of its own.
import { hostname } from 'node:os';
import { runIngest } from '../api/handlers/ingest.ts';
import { routes } from '../api/handlers/scheduler-routes.ts';
import { createAdmission } from '../api/http/admission.ts';
import { createApi } from '../api/http/handler.ts';
import type { ApiHandler } from '../api/http/http-event.ts';
import { createQuotas } from '../jobs/enforce-quotas.ts';
import { runNotifier } from '../notifier/consume.ts';
import { readConfig } from '../runtime/config.ts';
import { limitRepeats } from '../runtime/repeated-faults.ts';
import { createLog, systemRandom } from '../runtime/system.ts';
import type { Context, Log } from '../scheduling/context.ts';
import type { ScriptMode } from '../tasks/script/script-mode.ts';
import { allowedRecipients, taskVariables } from '../tasks/task-settings.ts';
import { allShards, runWatcher } from '../watcher/main.ts';
import { startWorker } from '../worker/worker.ts';
import type { LocalConfig } from './config.ts';
import type { Backend } from './connect.ts';
import { LOCAL_SENDER } from './mail-file.ts';
import type { Running } from './run.ts';
import { describedTasks, localDelivering, localTasks } from './tasks.ts';
import { createAuthorizer, tokenKey } from './tokens.ts';

/** To stderr: stdout is for what people are meant to read. */
export const localLog = (config: LocalConfig, part: string): Log =>
  limitRepeats(createLog(config.logLevel, { part }, (line) => process.stderr.write(line)));

/** Both services behind one address, and the consumer of the jobs that they accept. */
export async function startLocalApi(
  { dataFolder, api }: LocalConfig,
  { ctx, ingest }: Backend,
  scripts: ScriptMode,
  running: Running,
): Promise<ApiHandler> {
  const authorize = await createAuthorizer(await tokenKey(dataFolder));
  const quotas = createQuotas(ctx, api.quotas);
  const consuming = runIngest(ctx, quotas, ingest.inbox, running.stopping);
  running.defer(() => consuming);
  const all = routes(ctx, await describedTasks(scripts, process.env), {
    quotas,
    ingest: ingest.queue,
    recipients: allowedRecipients(readConfig(taskVariables, process.env)),
  });
  return createApi(all, { ...api, log: ctx.log, authorize, admission: createAdmission(ctx) });
}

export function startLocalWatcher(ctx: Context, running: Running): void {
  const watching = runWatcher(ctx, allShards(ctx.settings.shards), running.stopping);
  running.defer(() => watching);
}

/** The consumer of what is to be told. */
export function startLocalNotifier(config: LocalConfig, backend: Backend, running: Running): void {
  const { ctx, notify, aws, ownPorts } = backend;
  const { notifier } = config;
  const delivering = localDelivering(config, { aws, ownPorts, log: ctx.log }, process.env);
  // not when the process is told to stop, but when its turn has come: the worker has ends to tell while it drains
  const stop = new AbortController();
  const consuming = runNotifier(
    {
      ...notifier,
      emailFrom: notifier.emailFrom ?? LOCAL_SENDER,
      context: ctx,
      queue: notify.queue,
      tasks: delivering,
      stopping: stop.signal,
    },
    notify.inbox,
    stop.signal,
  );
  running.defer(() => {
    stop.abort();
    return consuming;
  });
}

export async function startLocalWorker(
  config: LocalConfig,
  { ctx, inboxes, polls, aws, ownPorts }: Backend,
  scripts: ScriptMode,
  running: Running,
): Promise<string> {
  const worker = startWorker(ctx, {
    workerId: `${hostname()}-${process.pid}-${systemRandom.id(4)}`,
    host: hostname(),
    tasks: await localTasks(config, { aws, ownPorts, log: ctx.log }, scripts, process.env),
    inboxes,
    ...polls,
    concurrency: config.concurrency,
  });
  running.defer(() => {
    const tasks = worker.running().length;
    if (tasks > 0) {
      const seconds = config.drainMs / 1000;
      console.error(
        `Waiting up to ${seconds} s for ${tasks} running ${tasks === 1 ? 'task' : 'tasks'} to end. Ctrl-C again stops at once.`,
      );
    }
    return worker.stop({ deadlineMs: config.drainMs });
  });
  return worker.workerId;
}
