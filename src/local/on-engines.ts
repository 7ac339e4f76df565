// The backend of a server whose tables and queues are reached over DynamoDB's and SQS's APIs: those of AWS_ENDPOINT_URL, or
// dynoxide and fauxqs of this machine.
import type { Log } from '../scheduling/context.ts';
import type { LocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { REACHABLE, startEngines } from './engines.ts';
import { refillQueue } from './refill.ts';
import type { Running } from './run.ts';
import type { Opened } from './serve.ts';

export async function openOnEngines(config: LocalConfig, running: Running, log: Log): Promise<Opened> {
  const { external, dataFolder } = config;
  const engines = await startEngines(config, running, log);
  const backend = await connect(config, engines, running, log, external ? 'answers' : 'own');
  const where = `Tables: DynamoDB API at ${engines.dynamodb}. Queues: SQS API at ${engines.sqs}.`;
  if (external) return { backend, told: [where, `Keys and secrets: ${dataFolder}.`] };
  await refillQueue(backend.ctx);
  return {
    backend,
    told: [where, REACHABLE, `Data: ${dataFolder}.`],
  };
}
