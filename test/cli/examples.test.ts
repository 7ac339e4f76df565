// The jobs file of examples/ is planned, applied twice and pruned on a real server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { jobsFileJsonSchema } from '../../src/cli/jobs-file/file-schema.ts';
import { startLocal, temporaryFolder } from '../support/processes.ts';
import { ROOT } from './command.ts';
import { cli } from './in-process.ts';

const input = readFileSync(join(ROOT, 'examples/schedules-as-code/jobs.yaml'), 'utf8');

it('examples/schedules-as-code matches the schema', () => {
  expect(() => z.fromJSONSchema(jobsFileJsonSchema() as never).parse(parse(input))).not.toThrow();
});

it('examples/schedules-as-code', async () => {
  const folder = temporaryFolder();
  const server = await startLocal(folder.path);
  try {
    const env = { PUNCTUAL_URL: server.url, PUNCTUAL_DATA: folder.path };
    const run = (words: string, more: Record<string, string> = {}) =>
      cli(words.split(' '), { env: { ...env, ...more }, input, now: Date.now() });
    expect(await run('plan -f jobs.yaml --detailed-exitcode')).toMatchObject({
      code: 3,
      out: expect.stringContaining('plan: 4 to create'),
    });
    const applied = await run('apply -f jobs.yaml');
    expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('done: 4 created') });
    expect((await run('apply -f jobs.yaml')).out).toContain('done: 4 unchanged');
    // another tenant is another name
    expect((await run('apply -f jobs.yaml', { TENANT: 'other' })).out).toContain(
      'done: 1 created, 3 unchanged',
    );
    expect((await run('apply -f jobs.yaml --prune', { TENANT: 'other' })).out).toContain('1 cancelled');
    const { out } = await run('list --json');
    expect(
      (JSON.parse(out) as { name: string; status: string }[])
        .map(({ name, status }) => `${name} ${status}`)
        .sort(),
    ).toEqual([
      'heartbeat active',
      'nightly-report active',
      'remind-acme cancelled',
      'remind-other active',
      'year-end paused',
    ]);
  } finally {
    await server.stop();
    folder.remove();
  }
});
