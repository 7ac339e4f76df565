// The backend of a server on the DynamoDB and SQS APIs: those of AWS_ENDPOINT_URL, or dynoxide and fauxqs on this machine.
import type { Log } from '../scheduling/context.ts';
import { createMemoryLogLines } from '../store/memory/memory-log-lines.ts';
import { createMinuteStatistics } from '../telemetry/in-process/minute-statistics.ts';
import type { OpenedBackend } from './backend.ts';
import type { LocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { NO_ACCESS_CONTROL, startEngines } from './engines.ts';
import { keepLogs } from './keep-logs.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';
import { refillQueue } from './refill-queue.ts';

export async function openEnginesBackend(
  config: LocalConfig,
  lifecycle: ProcessLifecycle,
  log: Log,
): Promise<OpenedBackend> {
  const { external, dataFolder } = config;
  const engines = await startEngines(config, lifecycle, log);
  const connected = await connect(config, engines, lifecycle, log, external ? 'answers' : 'own');
  // the tables of DynamoDB have no log lines, so this process keeps those of its own worker in memory
  const { lines, logs } = keepLogs(createMemoryLogLines(), connected.ctx.clock, lifecycle, log);
  const backend = {
    ...connected,
    ctx: { ...connected.ctx, lines },
    telemetry: { logs, statistics: createMinuteStatistics(connected.ctx.clock) },
  };
  const where = `Tables: DynamoDB API at ${engines.dynamodb}. Queues: SQS API at ${engines.sqs}.`;
  if (external)
    return { backend, messages: [where, ...(backend.warnings ?? []), `Keys and secrets: ${dataFolder}.`] };
  await refillQueue(backend.ctx);
  return {
    backend,
    messages: [where, NO_ACCESS_CONTROL, `Data: ${dataFolder}.`],
  };
}
