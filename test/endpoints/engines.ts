// The engines that `npm run test:endpoints` starts, each with the variables that `npm start` gets.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startDynamoDbLocal } from '../conformance/dynamodb-local.ts';
import { installDynamoDbLocal } from '../conformance/install-dynamodb-local.ts';
import type { Cleanup } from '../deploy/cleanup.ts';
import { freePort, startEmulator } from '../deploy/emulator/ministack.ts';
import { emulatorPython } from '../deploy/emulator/python.ts';
import { stopGroup } from '../deploy/process-group.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { until } from '../support/until.ts';

type Variables = Record<string, string>;

export interface Engine {
  readonly name: string;
  /** Whether the engine knows PartiQL statements with parameters. */
  readonly hasGroupCommit: boolean;
  start(cleanup: Cleanup): Promise<Variables>;
}

const MOTO = join(import.meta.dirname, 'moto-requirements.txt');
const START_MS = 60_000;

async function queues(cleanup: Cleanup): Promise<Variables> {
  const server = await startQueueServer();
  cleanup.add(server.stop);
  return { AWS_ENDPOINT_URL_SQS: server.endpoint };
}

async function startMoto(cleanup: Cleanup): Promise<Variables> {
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const { port } = new URL(endpoint);
  let output = '';
  const child = spawn(emulatorPython(MOTO), ['-m', 'moto.server', '-H', '127.0.0.1', '-p', port], {
    cwd: cleanup.folder('moto'),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanup.add(() => stopGroup(child));
  // Both are read, or moto would wait for a reader.
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output = `${output}${data}`.slice(-4000);
    });
  await until(
    `moto answers on ${endpoint}`,
    () => {
      if (child.exitCode !== null) throw new Error(`moto ended with ${child.exitCode}:\n${output}`);
      return fetch(endpoint).then(
        () => true,
        () => false,
      );
    },
    { withinMs: START_MS, everyMs: 200 },
  );
  return { AWS_ENDPOINT_URL: endpoint };
}

export const ENGINES = {
  ministack: {
    name: 'MiniStack',
    hasGroupCommit: true,
    start: async (cleanup) => ({
      AWS_ENDPOINT_URL: (await startEmulator(cleanup, { enforceIam: false })).endpoint,
    }),
  },
  'dynamodb-local': {
    name: 'DynamoDB Local and fauxqs',
    hasGroupCommit: true,
    async start(cleanup) {
      const engine = await startDynamoDbLocal(installDynamoDbLocal());
      cleanup.add(engine.stop);
      return { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint, ...(await queues(cleanup)) };
    },
  },
  dynoxide: {
    name: 'dynoxide and fauxqs',
    hasGroupCommit: true,
    async start(cleanup) {
      const engine = await startDynoxide();
      cleanup.add(engine.stop);
      return { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint, ...(await queues(cleanup)) };
    },
  },
  moto: { name: 'moto', hasGroupCommit: false, start: startMoto },
} as const satisfies Record<string, Engine>;
