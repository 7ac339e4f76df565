// The engines of `npm run start:aws`: dynoxide and fauxqs, the DynamoDB and SQS APIs on this machine. While they run, the data
// folder has their addresses for other processes.
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../scheduling/context.ts';
import type { Endpoints, LocalConfig } from './config.ts';
import { refuseEmbeddedOwner, tablesFile } from './data-folder-owner.ts';
import { startDynoxide } from './dynoxide.ts';
import { startFauxqs } from './fauxqs.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';
import { StartError } from './start-error.ts';

/** The warning that is printed after a start of the engines. */
export const NO_ACCESS_CONTROL =
  'The engines have no access control: every process on this machine can read the jobs and results of all users.';

const endpointsFile = (folder: string): string => join(folder, 'endpoints.json');
const endpointsSchema = z.object({ dynamodb: z.url(), sqs: z.url() });

/** Starts both engines, unless the configuration names external endpoints. This process must own the data folder. */
export async function startEngines(
  config: LocalConfig,
  lifecycle: ProcessLifecycle,
  log: Log,
): Promise<Endpoints> {
  if (config.external) return config.external;
  const { dataFolder, enginePorts } = config;
  // the user can fix these: no dynoxide for the platform, a port in use, a folder that is not writable
  const asStartError = (error: unknown) => {
    throw new StartError(error instanceof Error ? error.message : String(error));
  };
  // dynoxide makes its files with the umask of this process, and keeps the modes of those that exist
  const tables = tablesFile(dataFolder);
  for (const path of [tables, `${tables}-wal`, `${tables}-shm`]) if (existsSync(path)) chmodSync(path, 0o600);
  const dynoxide = await startDynoxide({
    port: enginePorts.dynamodb,
    dataPath: tables,
    log,
  }).catch(asStartError);
  lifecycle.defer(() => dynoxide.stop());
  void dynoxide.ended.then((how) => {
    if (!lifecycle.stopping.aborted)
      lifecycle.fail(new StartError(`dynoxide, which holds the tables, ${how}`));
  });
  const fauxqs = await startFauxqs({ port: enginePorts.sqs, region: config.region, log }).catch(asStartError);
  lifecycle.defer(() => fauxqs.stop());

  const endpoints = { dynamodb: dynoxide.endpoint, sqs: fauxqs.endpoint };
  const file = endpointsFile(dataFolder);
  writeFileSync(`${file}.new`, JSON.stringify(endpoints), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  lifecycle.defer(() => rmSync(file, { force: true }));
  return endpoints;
}

/** The addresses of the engines that another process runs on the same data folder. */
export async function findEngines(config: LocalConfig): Promise<Endpoints> {
  if (config.external) return config.external;
  refuseEmbeddedOwner(config.dataFolder);
  const endpoints = readEndpoints(config.dataFolder);
  if (!endpoints || !(await answers(endpoints.dynamodb)) || !(await answers(endpoints.sqs))) {
    throw new StartError(
      `no engines run on the data folder ${config.dataFolder}. ` +
        'Run `npm run start:aws` or `npm run engines` first with the same PUNCTUAL_DATA, or set AWS_ENDPOINT_URL.',
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
