// The worker process, which is the container's entry point. The environment configures it, and SIGTERM drains it.
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
import { handleMessage } from '../scheduling/running/handle-message.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import { createDynamoStore } from '../store/dynamodb/dynamodb.ts';
import { tasksOnAws } from '../tasks/aws/worker-tasks.ts';
import { CustomTaskError } from '../tasks/custom-tasks.ts';
import { taskVariables } from '../tasks/task-settings.ts';
import { readWorkerConfig, type WorkerConfig } from './config.ts';
import { findQueues } from './find-queues.ts';
import { touchWhileAlive } from './liveness-file.ts';
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
      monotonic: systemClock.monotonic,
      now: systemClock.now,
      // DynamoDB reports consumed capacity only if it is asked to
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
  const context = withMetrics(publishingFromEnvironment(base, clients.sqs, process.env), metrics);
  const tracer =
    config.traceSampling === undefined ? undefined : await tracerOn(config, config.traceSampling, clock, log);

  // an unhandled rejection of one task must not end the runs of all others
  process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));

  const worker = startWorker(context, {
    workerId,
    host: hostname(),
    tasks,
    receivers,
    concurrency: config.concurrency,
    ownerShare: config.ownerShare,
    limits: config.limits,
    ...(tracer && { handleMessage: withTracing(handleMessage, tracer) }),
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
    config.aliveFile === undefined
      ? undefined
      : touchWhileAlive(config.aliveFile, () => isClockRight(context));
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

  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) {
      log.warn('exiting at once after a second signal; other workers take over the running tasks', {
        signal,
      });
      process.exit(130);
    }
    isStopping = true;
    log.info('draining after a signal', { signal, maxSeconds: config.drainMs / 1000 });
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
    // an abandoned task or an open connection must not keep the process alive
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  log.info('worker ready', {
    queues: receivers.length,
    concurrency: config.concurrency,
    tasks: [...tasks.keys()],
  });
}

/** Reports metrics once a minute, which is a few log lines whatever the load. */
function everyMinute(report: () => void): NodeJS.Timeout {
  report();
  return setInterval(report, 60_000);
}

/** Traces are not worth a longer shutdown. */
const SEND_TRACES_TIMEOUT_MS = 3_000;

/** The X-Ray client is loaded only if tracing is on. */
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
        abortSignal: AbortSignal.timeout(SEND_TRACES_TIMEOUT_MS),
      });
      return done.UnprocessedTraceSegments?.length ?? 0;
    },
  });
}

try {
  await main();
} catch (error) {
  console.error(
    `punctual worker: ${error instanceof ConfigError || error instanceof CustomTaskError ? error.message : describe(error)}`,
  );
  process.exit(1);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
