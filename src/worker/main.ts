// The worker as a process of its own, the container's entry point: configuration from the environment, ready when it
// polls, and SIGTERM drains it.
import { hostname } from 'node:os';
import { createSqs } from '../queue/sqs/sqs.ts';
import { createClients } from '../runtime/aws-clients.ts';
import { monitorClock } from '../runtime/clock/clock-monitor.ts';
import { createReferenceClock } from '../runtime/clock/reference-clock.ts';
import { systemClock } from '../runtime/clock/system-clock.ts';
import { ConfigError, readConfig } from '../runtime/config.ts';
import { createLog } from '../runtime/log.ts';
import { createMetrics, deploymentOf, NO_METRICS, Units } from '../runtime/metrics.ts';
import { publishingFromEnvironment } from '../runtime/publishing.ts';
import { systemRandom } from '../runtime/random.ts';
import { limitRepeats } from '../runtime/repeated-faults.ts';
import { type Clock, isClockRight, type Log } from '../scheduling/context.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import { createDynamoStore } from '../store/dynamodb/dynamodb.ts';
import { tasksOnAws } from '../tasks/aws/worker-tasks.ts';
import { CustomTaskError } from '../tasks/custom-tasks.ts';
import { taskVariables } from '../tasks/task-settings.ts';
import { readWorkerConfig, type WorkerConfig } from './config.ts';
import { findQueues } from './find-queues.ts';
import { showAlive } from './liveness-file.ts';
import { protectLongJobs } from './protection.ts';
import { withMetrics } from './with-metrics.ts';
import { withTracing } from './with-tracing.ts';
import { startWorker } from './worker.ts';
import { createTracer, type Tracer } from './xray.ts';

async function main(): Promise<void> {
  const config = readWorkerConfig(process.env);
  const workerId = `worker_${systemRandom.id(12)}`;
  const log = limitRepeats(createLog(config.logLevel, { service: 'punctual-worker', workerId }));
  const tasks = await tasksOnAws(readConfig(taskVariables, process.env), config);
  const clock = createReferenceClock(systemClock, 'answers');
  const clients = createClients({ endpoints: config.endpoints, heard: clock.heard });
  const units = new Units('worker');
  const store = withDefinitionCache(
    createDynamoStore({
      client: clients.dynamodb,
      tablePrefix: config.prefix,
      shards: config.settings.shards,
      ...config.store,
      backoff: { random: systemRandom.float, sleep: systemClock.sleep },
      // asked for only when somebody reads it
      meter: config.metrics ? units.meter : undefined,
    }),
  );
  const { queue, receivers } = createSqs({
    client: clients.sqs,
    pollClient: clients.sqsPolls,
    visibilityMs: config.settings.leaseMs,
    clock,
    ...(await findQueues(clients.sqs, config)),
  });
  const settings = config.settings;
  const metrics = config.metrics ? createMetrics(config.prefix) : NO_METRICS;
  const base = { store, queue, clock, random: systemRandom, log, settings };
  const { context, handleMessage } = withMetrics(
    publishingFromEnvironment(base, clients.sqs, process.env),
    metrics,
  );
  const tracer =
    config.traceSampling === undefined ? undefined : await tracerOn(config, config.traceSampling, clock, log);

  // a promise that some task forgot must not take the runs of all others with it
  process.on('unhandledRejection', (error) => log.error('a rejection that nobody handled', { error }));

  const worker = startWorker(context, {
    workerId,
    host: hostname(),
    tasks,
    receivers,
    concurrency: config.concurrency,
    handleMessage: tracer ? withTracing(handleMessage, tracer) : handleMessage,
  });
  const monitor = monitorClock(context);
  const report = () => {
    metrics.add('Workers', 1);
    metrics.add('Running', worker.running().length);
    metrics.add('ClockOffset', monitor.worst());
    if (config.metrics) units.report(metrics);
    metrics.flush();
  };
  const reporting = everyMinute(report);
  const alive =
    config.aliveFile === undefined ? undefined : showAlive(config.aliveFile, () => isClockRight(context));
  const { agentUri } = config;
  const protection =
    agentUri === undefined
      ? undefined
      : protectLongJobs({
          agentUri,
          clock,
          log,
          running: worker.running,
          maxMs: config.protectMs,
        });

  let asked = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (asked) {
      log.warn(`${signal} again: leaving at once; what runs is taken over when its lease ends`);
      process.exit(130);
    }
    asked = true;
    log.info(`${signal}: draining for at most ${config.drainMs / 1000} s`);
    await worker.stop({ deadlineMs: config.drainMs });
    await protection?.stop();
    clearInterval(reporting);
    alive?.stop();
    metrics.add('ClockOffset', monitor.worst());
    monitor.stop();
    units.report(metrics);
    metrics.flush();
    await tracer?.stop();
    clients.destroy();
    // a task that was left behind, or a connection that somebody keeps open, is no reason to stay
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  log.info(`worker ${workerId} ready`, {
    queues: receivers.length,
    concurrency: config.concurrency,
    tasks: [...tasks.keys()],
  });
}

/** A few lines a minute, however much there is to do; the library writes more only when a hundred values have come. */
function everyMinute(report: () => void): NodeJS.Timeout {
  report();
  return setInterval(report, 60_000);
}

/** They are not worth a longer goodbye. */
const TRACES_WITHIN_MS = 3_000;

/** X-Ray's client is loaded by those who trace, and by nobody else. */
async function tracerOn({ prefix }: WorkerConfig, sampling: number, clock: Clock, log: Log): Promise<Tracer> {
  const { PutTraceSegmentsCommand, XRayClient } = await import('@aws-sdk/client-xray');
  const client = new XRayClient({ maxAttempts: 1 });
  return createTracer({
    name: `${deploymentOf(prefix)}-worker`,
    sampling,
    clock,
    random: systemRandom,
    log,
    async send(TraceSegmentDocuments) {
      const done = await client.send(new PutTraceSegmentsCommand({ TraceSegmentDocuments }), {
        abortSignal: AbortSignal.timeout(TRACES_WITHIN_MS),
      });
      return done.UnprocessedTraceSegments?.length ?? 0;
    },
  });
}

try {
  await main();
} catch (error) {
  console.error(
    `punctual worker: ${error instanceof ConfigError || error instanceof CustomTaskError ? error.message : tell(error)}`,
  );
  process.exit(1);
}

function tell(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
