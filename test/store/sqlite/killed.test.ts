// kill -9 at any moment: acknowledged writes are there afterwards, and no write is there in part.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { T0 } from '../../support/fixtures.ts';
import { aFile, aStore } from '../../support/sqlite-file.ts';

const CHILD = new URL('./writing.child.ts', import.meta.url).pathname;
const KILLS = 6;

/** The lines of a process that was killed after `lines` of them. A last line that was cut off is left out. */
async function killedAfter(file: string, name: string, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, file, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += String(chunk);
    if (output.split('\n').length > lines) child.kill('SIGKILL');
  });
  expect((await exited)[1]).toBe('SIGKILL');
  return output.split('\n').slice(0, -1);
}

test(`${KILLS} kills while 40 callers write lose nothing that was acknowledged`, {
  timeout: 60_000,
}, async () => {
  const file = aFile();
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++)
    acknowledged.push(...(await killedAfter(file, String(kill), 200 + kill * 300)));
  expect(acknowledged.length).toBeGreaterThan(1_000);

  const { store } = await aStore(file);
  const lost: string[] = [];
  for (const line of acknowledged) {
    const [jobId = '', what] = line.split(' ');
    const head = await store.readHead(jobId, { consistent: true });
    const row = await store.readRow(jobId, dueKey(T0), { consistent: true });
    const there =
      what === 'created' ? head : what === 'claimed' ? row?.number === 7 : row?.status === 'SUCCEEDED';
    if (!there) lost.push(line);
    // the row and the lock are one transaction
    expect(row?.number).toBe(head?.lock?.number);
  }
  expect(lost).toEqual([]);
});
