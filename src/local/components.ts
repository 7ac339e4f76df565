// The components of local mode: API, watcher, worker and notifier. `npm start` runs all of them in one process, and each can
// run in a process of its own.
import { hostname } from 'node:os';
import { runIngest } from '../api/handlers/ingest.ts';
import { routes } from '../api/handlers/scheduler-routes.ts';
import { createAdmission } from '../api/http/admission.ts';
import { createApi } from '../api/http/handler.ts';
import type { ApiHandler } from '../api/http/http-event.ts';
import { answeringInSlices, RequestTurns } from '../concurrency/request-turns.ts';
import { createQuotas } from '../jobs/enforce-quotas.ts';
import { runNotifier } from '../notifier/consume.ts';
import { systemClock } from '../runtime/clock/system-clock.ts';
import { readConfig } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { NO_METRICS } from '../runtime/metrics.ts';
import { systemRandom } from '../runtime/random.ts';
import { limitRepeats } from '../runtime/repeated-faults.ts';
import type { Context, Log } from '../scheduling/context.ts';
import type { ScriptMode } from '../tasks/script/script-mode.ts';
import { allowedRecipients, taskVariables } from '../tasks/task-settings.ts';
import { allShards, runWatcher } from '../watcher/main.ts';
import { withMetrics } from '../worker/with-metrics.ts';
import { startWorker } from '../worker/worker.ts';
import type { Backend } from './backend.ts';
import type { LocalConfig } from './config.ts';
import { withConsole } from './console.ts';
import { describableTasks, localDeliveryTasks, localTasks } from './local-tasks.ts';
import { LOCAL_SENDER } from './mail-file.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';
import { type ServerIdentity, withServerProof } from './server-proof.ts';
import { createAuthorizer, tokenKey } from './tokens.ts';

/** The time between two samples of the number of running executions. */
const SAMPLE_MS = 10_000;

/** Logs to stderr. Stdout has only the lines for the user. */
export const localLog = (config: LocalConfig, part: string): Log =>
  limitRepeats(
    createLog(config.logLevel, { service: `punctual-${part}` }, (line) => process.stderr.write(line)),
  );

/** One for all parts of this process. */
export const createTurns = (): RequestTurns => new RequestTurns({ monotonic: systemClock.monotonic });

/** For requests and the watcher. Results of the store wait for a slice. Those of the worker never wait. */
const answeringInTurns = (ctx: Context): Context => ({ ...ctx, store: answeringInSlices(ctx.store) });

/** Each start has another identity. */
export const newIdentity = async (dataFolder: string): Promise<ServerIdentity> => ({
  key: await tokenKey(dataFolder),
  start: systemRandom.id(12),
});

/** The console, the proof of the server and the routes of both API services in one handler, and the consumer of the ingest queue. */
export async function startLocalApi(
  { api }: LocalConfig,
  { ctx: backendContext, ingest, telemetry }: Backend,
  scripts: ScriptMode,
  identity: ServerIdentity,
  lifecycle: ProcessLifecycle,
  turns = createTurns(),
): Promise<ApiHandler> {
  const ctx = answeringInTurns(backendContext);
  const authorize = await createAuthorizer(identity);
  const quotas = createQuotas(ctx, api.limits);
  const consuming = turns.run(undefined, () => runIngest(ctx, ingest.receiver, lifecycle.stopping));
  lifecycle.defer(() => consuming);
  const all = routes(ctx, await describableTasks(scripts, process.env), {
    quotas,
    ingest: ingest.queue,
    recipients: allowedRecipients(readConfig(taskVariables, process.env)),
    ...(telemetry && { telemetry }),
  });
  const throttle = quotas.takeRequest;
  const options = { ...api, log: ctx.log, authorize, throttle, turns, admission: createAdmission(ctx) };
  const handler = withConsole(createApi(all, options), api.operatorsGroup, lifecycle.stopping, ctx.log);
  return withServerProof(handler, identity);
}

export function startLocalWatcher(ctx: Context, lifecycle: ProcessLifecycle, turns = createTurns()): void {
  const watching = turns.run(undefined, () =>
    runWatcher(answeringInTurns(ctx), allShards(ctx.settings.shards), lifecycle.stopping),
  );
  lifecycle.defer(() => watching);
}

export function startLocalNotifier(config: LocalConfig, backend: Backend, lifecycle: ProcessLifecycle): void {
  const { ctx, notify, aws, schedulerPorts } = backend;
  const { notifier } = config;
  const tasks = localDeliveryTasks(config, { aws, schedulerPorts, log: ctx.log }, process.env);
  // the notifier stops after the worker, which publishes events while it drains
  const stop = new AbortController();
  const consuming = runNotifier(
    {
      ...notifier,
      emailFrom: notifier.emailFrom ?? LOCAL_SENDER,
      context: ctx,
      queue: notify.queue,
      tasks,
      stopping: stop.signal,
    },
    notify.receiver,
    stop.signal,
  );
  lifecycle.defer(() => {
    stop.abort();
    return consuming;
  });
}

export async function startLocalWorker(
  config: LocalConfig,
  { ctx, receivers, polls, aws, schedulerPorts, telemetry }: Backend,
  scripts: ScriptMode,
  lifecycle: ProcessLifecycle,
): Promise<string> {
  const statistics = telemetry?.statistics ?? NO_METRICS;
  const context = withMetrics(ctx, statistics);
  const worker = startWorker(context, {
    workerId: `${hostname()}-${process.pid}-${systemRandom.id(4)}`,
    host: hostname(),
    tasks: await localTasks(config, { aws, schedulerPorts, log: ctx.log }, scripts, process.env),
    receivers,
    ...polls,
    concurrency: config.concurrency,
    ownerShare: config.ownerShare,
    limits: config.api.limits,
  });
  const sampling = setInterval(() => statistics.add('Running', worker.running().length), SAMPLE_MS);
  lifecycle.defer(() => clearInterval(sampling));
  lifecycle.defer(() => {
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
