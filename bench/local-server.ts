// Starts `npm start` or `npm run start:aws` as a separate process, for benchmarks of the API.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './report.ts';

export interface Local {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startLocal(folder: string, engine: Engine): Promise<Local> {
  const file = engine === 'aws' ? 'aws.main.ts' : 'main.ts';
  const main = new URL(`../src/local/${file}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [...process.execArgv, main], {
    env: {
      ...process.env,
      PUNCTUAL_PORT: '0',
      PUNCTUAL_DATA: folder,
      PUNCTUAL_LOG: 'error',
      // one user sends more than the limits per owner allow
      PUNCTUAL_QUOTAS: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  while (!/listens on (\S+)/.test(printed)) {
    if (child.exitCode !== null) throw new Error(`the server did not start: ${printed}`);
    await sleep(20);
  }
  return {
    url: /listens on (\S+)/.exec(printed)?.[1] ?? '',
    pid: child.pid ?? 0,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
