// Starts and stops MiniStack on a free port of 127.0.0.1.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { until } from '../../support/until.ts';
import type { Cleanup } from '../cleanup.ts';
import { REGION } from '../names.ts';
import { stopGroup } from '../process-group.ts';
import { listenForBoth } from './plain-http.ts';
import { emulatorPython } from './python.ts';

export interface Emulator {
  readonly endpoint: string;
  /** The variables with which the SDK, the CDK and the AWS CLI reach the emulator and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  readonly enforcesIam: boolean;
  log(): string;
}

/** With IAM enforced, the emulator treats this key as the root user of the account. */
export const ROOT_KEY = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
const START_MS = 60_000;

export async function startEmulator(
  cleanup: Cleanup,
  { enforceIam }: { enforceIam: boolean },
): Promise<Emulator> {
  const python = emulatorPython();
  const folder = cleanup.folder('ministack');
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const port = await freePort();
  // With IAM enforced, policies that refuse plain HTTP count too.
  const endpoint = `${enforceIam ? 'https' : 'http'}://127.0.0.1:${port}`;
  const certificate = join(temporary, 'ministack-tls/server.crt');
  const host = enforceIam ? '127.0.0.2' : '127.0.0.1';
  if (enforceIam) await listenForBoth('127.0.0.1', { host, port, certificate }, cleanup);
  const env = {
    ...ROOT_KEY,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ENDPOINT_URL: endpoint,
    AWS_EC2_METADATA_DISABLED: 'true',
    // No profile of the machine is read: the run must not be able to reach an account.
    AWS_CONFIG_FILE: join(folder, 'no-config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'no-credentials'),
    // The CDK caches the account of an access key in its home folder, and writes notices there.
    CDK_HOME: join(folder, 'cdk-home'),
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    HOME: folder,
    TMPDIR: temporary,
    // The functions run on the Node of this run.
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    ...(enforceIam && { NODE_EXTRA_CA_CERTS: certificate, AWS_CA_BUNDLE: certificate }),
  };
  const logFile = join(folder, 'ministack.log');
  const log = createWriteStream(logFile);
  await once(log, 'open');
  const child = spawn(python, ['-m', 'ministack'], {
    cwd: folder,
    // A process group of its own, so that the processes of functions end with it.
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      ...env,
      USE_SSL: enforceIam ? '1' : '0',
      BIND_HOST: host,
      GATEWAY_PORT: String(port),
      AUTH: String(enforceIam),
      LAMBDA_EXECUTOR: 'local',
      S3_DATA_DIR: join(folder, 's3'),
      STATE_DIR: join(folder, 'state'),
      // Listeners and engines that the stack does not need.
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      DOCKER_HOST: 'unix:///nonexistent',
    },
  });
  cleanup.add(() => stopGroup(child));
  await until(
    `the emulator answers on ${endpoint}`,
    async () => {
      if (child.exitCode !== null)
        throw new Error(`the emulator ended with ${child.exitCode}:\n${readFileSync(logFile, 'utf8')}`);
      if (enforceIam && existsSync(certificate)) trust(certificate);
      return fetch(`${endpoint}/health`).then(
        (response) => response.ok,
        () => false,
      );
    },
    { withinMs: START_MS, everyMs: 200 },
  );
  return { endpoint, env, enforcesIam: enforceIam, log: () => readFileSync(logFile, 'utf8') };
}

/** This process trusts the emulator's certificate, besides those that it trusts anyway. */
function trust(certificate: string): void {
  setDefaultCACertificates([...getCACertificates('bundled'), readFileSync(certificate, 'utf8')]);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
