// Two `punctual apply` of one file at the same moment, 50 times. Commands and servers are killed at random moments with
// kill -9. After each round the file is applied once more, and every name has one job with the described values.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { start } from '../cli/command.ts';
import { cli } from '../cli/in-process.ts';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';

const ROUNDS = 50;
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

let folder: Folder | undefined;
let server: Awaited<ReturnType<typeof startLocal>> | undefined;
afterEach(async () => {
  await server?.stop('SIGKILL');
  folder?.remove();
});

/** Every second round replaces the jobs, and every third one edits them. */
const fileOf = (round: number): string =>
  JSON.stringify({
    version: 1,
    namespace: 'billing',
    defaults: {
      task: 'noop',
      overlap: round % 2 === 0 ? 'skip' : 'allow',
      timeoutSeconds: 1 + Math.floor(round / 3),
    },
    jobs: Object.fromEntries(NAMES.map((name) => [name, { schedule: '0 2 1 1 *' }])),
  });

it(`${ROUNDS} rounds leave one job per name`, { timeout: 900_000 }, async () => {
  folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const file = join(folder.path, 'jobs.json');
  server = await startLocal(data);
  const counts = { killedCommands: 0, killedServers: 0, leftovers: 0, failed: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    writeFileSync(file, fileOf(round));
    const env = { PUNCTUAL_URL: server.url, PUNCTUAL_DATA: data };
    const commands = [0, 1].map(() => start(['apply', '-f', file], { env }));
    for (const { child, ended } of commands) {
      if (Math.random() < 0.5) continue;
      counts.killedCommands++;
      // most of the time is the start of the process
      void Promise.race([sleep(300 + Math.random() * 1500), ended]).then(() => child.kill('SIGKILL'));
    }
    if (Math.random() < 0.3) {
      counts.killedServers++;
      await sleep(400 + Math.random() * 1200);
      await server.stop('SIGKILL');
      server = await startLocal(data);
    }
    const ended = await Promise.all(commands.map((command) => command.ended));
    counts.failed += ended.filter(({ code }) => code !== 0).length;

    const baseUrl = server.url;
    const client = createClient({ baseUrl, token: await signToken(await tokenKey(data), 'me') });
    const live = async () => {
      const names: string[] = [];
      for await (const { name = '' } of client.jobs.list({ namespace: 'billing', status: 'active' }))
        names.push(name);
      return names.sort();
    };
    counts.leftovers += Math.max(0, (await live()).length - NAMES.length);
    const last = await cli(['apply', '-f', file], {
      env: { PUNCTUAL_URL: baseUrl, PUNCTUAL_DATA: data },
      input: fileOf(round),
      now: Date.now(),
    });
    expect(last.code, last.err).toBe(0);
    expect(await live(), `round ${round}`).toEqual(NAMES);
    for (const name of NAMES) {
      const job = await client.namedJobs.get({ namespace: 'billing', name });
      expect([job.overlap, job.timeoutSeconds]).toEqual([
        round % 2 === 0 ? 'skip' : 'allow',
        1 + Math.floor(round / 3),
      ]);
    }
  }
  console.log(JSON.stringify(counts));
  expect(counts.killedCommands).toBeGreaterThan(10);
  expect(counts.killedServers).toBeGreaterThan(3);
});
