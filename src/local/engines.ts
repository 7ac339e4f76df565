// The engines of `npm run start:aws`, DynamoDB's and SQS's API on this machine. Other processes find their addresses in the
// data folder while they run.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../scheduling/context.ts';
import type { Endpoints, LocalConfig } from './config.ts';
import { refuseBesideEmbedded, tablesFile } from './data-folder.ts';
import { startDynoxide } from './dynoxide.ts';
import { startFauxqs } from './fauxqs.ts';
import { type Running, StartError } from './run.ts';

/** What a person who starts the engines is told. */
export const REACHABLE =
  'Every process on this machine can reach these two engines, with the jobs and results of all users.';

const endpointsFile = (folder: string): string => join(folder, 'endpoints.json');
const endpointsSchema = z.object({ dynamodb: z.url(), sqs: z.url() });

/** Starts both, or nothing when the configuration names others. The data folder must be owned. */
export async function startEngines(config: LocalConfig, running: Running, log: Log): Promise<Endpoints> {
  if (config.external) return config.external;
  const { dataFolder, enginePorts } = config;
  // a platform without dynoxide, a port that is taken, a folder that cannot be written: all said in its words
  const told = (error: unknown) => {
    throw new StartError(error instanceof Error ? error.message : String(error));
  };
  const dynoxide = await startDynoxide({
    port: enginePorts.dynamodb,
    dataPath: tablesFile(dataFolder),
    log,
  }).catch(told);
  running.defer(() => dynoxide.stop());
  void dynoxide.ended.then((how) => {
    if (!running.stopping.aborted) running.fail(new StartError(`dynoxide, which has the tables, ${how}`));
  });
  const fauxqs = await startFauxqs({ port: enginePorts.sqs, region: config.region, log }).catch(told);
  running.defer(() => fauxqs.stop());

  const endpoints = { dynamodb: dynoxide.endpoint, sqs: fauxqs.endpoint };
  const file = endpointsFile(dataFolder);
  writeFileSync(`${file}.new`, JSON.stringify(endpoints));
  renameSync(`${file}.new`, file);
  running.defer(() => rmSync(file, { force: true }));
  return endpoints;
}

/** The engines that another process of the same data folder runs. */
export async function findEngines(config: LocalConfig): Promise<Endpoints> {
  if (config.external) return config.external;
  refuseBesideEmbedded(config.dataFolder);
  const endpoints = readEndpoints(config.dataFolder);
  if (!endpoints || !(await answers(endpoints.dynamodb)) || !(await answers(endpoints.sqs))) {
    throw new StartError(
      `no engines run on the data folder ${config.dataFolder}. ` +
        'Run `npm run start:aws` or `npm run engines` first (with the same PUNCTUAL_DATA), or set AWS_ENDPOINT_URL.',
    );
  }
  return endpoints;
}

function readEndpoints(folder: string): Endpoints | undefined {
  try {
    return endpointsSchema.parse(JSON.parse(readFileSync(endpointsFile(folder), 'utf8')));
  } catch {
    return undefined;
  }
}

const answers = (endpoint: string): Promise<boolean> =>
  fetch(endpoint, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );
