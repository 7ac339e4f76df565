// The jobs file of examples/ is planned, applied twice and pruned on a real server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { jobsFileJsonSchema } from '../../src/cli/jobs-file/file-schema.ts';
import { startLocal, temporaryFolder } from '../support/processes.ts';
import { ROOT } from './command.ts';
import { eventBridgeTimes } from './eventbridge-oracle.ts';
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

it('examples/eventbridge-import is imported, planned, applied and previewed', async () => {
  const folder = temporaryFolder();
  const server = await startLocal(folder.path);
  try {
    const env = { PUNCTUAL_URL: server.url, PUNCTUAL_DATA: folder.path };
    const schedules = readFileSync(join(ROOT, 'examples/eventbridge-import/schedules.json'), 'utf8');
    const run = (words: string, input: string) => cli(words.split(' '), { env, input, now: Date.now() });
    const { out: file } = await run('import eventbridge schedules.json --namespace eb', schedules);
    expect((await run('plan -f jobs.yaml', file)).out).toContain('plan: 40 to create');
    expect((await run('apply -f jobs.yaml', file)).out).toContain('done: 40 created');
    expect((await run('plan -f jobs.yaml --detailed-exitcode', file)).code).toBe(0);
    const { out } = await run('list --all --json', '');
    const jobs = JSON.parse(out) as { name: string; nextRunAt?: string; status: string }[];
    expect(jobs).toHaveLength(40);
    const { Schedules } = JSON.parse(schedules) as { Schedules: Record<string, string>[] };
    for (const record of Schedules) {
      const { Name, ScheduleExpression = '', ScheduleExpressionTimezone = 'UTC', StartDate = 0 } = record;
      const job = jobs.find(({ name }) => name === Name);
      if (Name === 'disabled') expect(job?.status).toBe('paused');
      if (Name === 'disabled' || !ScheduleExpression.startsWith('cron')) continue;
      const from = Math.max(Date.now(), Date.parse(String(StartDate)) - 1);
      const [next = 0] = eventBridgeTimes(ScheduleExpression, ScheduleExpressionTimezone, from - 60_000, 1);
      const [later = 0] = eventBridgeTimes(ScheduleExpression, ScheduleExpressionTimezone, from, 1);
      expect([next, later].map((time) => new Date(time).toISOString())).toContain(job?.nextRunAt);
      const preview = await cli(
        ['preview', ScheduleExpression, '--timezone', ScheduleExpressionTimezone, '--count', '3', '--json'],
        { now: from },
      );
      const expected = eventBridgeTimes(ScheduleExpression, ScheduleExpressionTimezone, from, 3);
      expect(
        (JSON.parse(preview.out) as { fireTimes: string[] }).fireTimes.slice(0, expected.length),
      ).toEqual(expected.map((time) => new Date(time).toISOString()));
    }
  } finally {
    await server.stop();
    folder.remove();
  }
});
