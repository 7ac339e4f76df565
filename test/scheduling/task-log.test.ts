// The log of a task: which lines are kept of an execution, and with which fields.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { executionId } from '../../src/domain/executions/ids.ts';
import type { LogLine } from '../../src/domain/executions/log-line.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { runAttempt } from '../../src/scheduling/running/run-attempt.ts';
import { withSecrets } from '../../src/tasks/secrets/secrets.ts';
import { defineTask, type TaskContext, type Tasks } from '../../src/tasks/task.ts';
import { claimedOf, EVERY_MINUTE, MINUTE, NOON, standingWorld } from '../support/standing-world.ts';

/** Runs one attempt of a task, with the lines that were kept and those of the process. */
async function ran(run: (context: TaskContext<{ key: string }>) => Promise<unknown>, secret = false) {
  const world = standingWorld();
  const kept: { id: string; owner: string; line: LogLine }[] = [];
  const printed: [string, string, Record<string, unknown>?][] = [];
  const quiet = () => {};
  const context = {
    ...world.context,
    log: {
      ...{ debug: quiet, error: quiet },
      info: (message: string, fields?: Record<string, unknown>) =>
        void printed.push(['info', message, fields]),
      warn: (message: string, fields?: Record<string, unknown>) =>
        void printed.push(['warn', message, fields]),
    },
    lines: {
      record: ({ jobId, due }: { jobId: string; due: string }, owner: string, line: LogLine) =>
        void kept.push({ id: executionId(jobId, due), owner, line }),
    },
  };
  const task = defineTask({ name: 'noop', description: '', params: z.looseObject({ key: z.string() }), run });
  const secrets = { location: 'a test', read: async () => 'swordfish-4711' };
  const tasks = withSecrets(new Map([['noop', task]]) as unknown as Tasks, secrets);
  const jobId = await world.create({
    ...EVERY_MINUTE,
    params: { key: secret ? { $secret: 'key' } : 'plain' },
  });
  world.now = NOON + MINUTE;
  const claimed = claimedOf(await claim(context, 'worker_1', world.message(jobId, NOON + MINUTE)));
  const aborting = new AbortController().signal;
  const { outcome } = await runAttempt(context, { tasks, aborting }, claimed);
  return { outcome, kept, printed, id: executionId(jobId, claimed.message.due), jobId };
}

it('each line is kept with its time, level, attempt and fields, and printed with the ids', async () => {
  const { kept, printed, id, jobId } = await ran(async ({ log }) => {
    log.info('began', { rows: 3 });
    log.warn('slow');
  });
  const common = { at: NOON + MINUTE, attempt: 1 };
  expect(kept).toEqual([
    { id, owner: 'ann', line: { ...common, level: 'info', message: 'began', fields: { rows: 3 } } },
    { id, owner: 'ann', line: { ...common, level: 'warn', message: 'slow' } },
  ]);
  const ids = { executionId: id, jobId, task: 'noop', attempt: 1, userId: 'ann', writtenBy: 'task' };
  expect(printed).toEqual([
    ['info', 'began', { rows: 3, ...ids }],
    ['warn', 'slow', ids],
  ]);
});

it('a task cannot write lines of another execution or user, and keeps its other fields', async () => {
  const { printed, id, jobId } = await ran(async ({ log }) => {
    const own = { from: 0, to: 12 };
    log.info('x', { executionId: 'job_b.1', jobId: 'b', userId: 'bob', writtenBy: 'me', attempt: 9, ...own });
  });
  expect(printed[0]?.[2]).toEqual({
    ...{ executionId: id, jobId, userId: 'ann', writtenBy: 'task', attempt: 1, task: 'noop' },
    ...{ from: 0, to: 12 },
  });
});

it('secrets are redacted in kept lines as in printed ones: message, fields and errors', async () => {
  const { kept, printed, outcome } = await ran(async ({ params, log }) => {
    log.info(`key ${params.key}`, { nested: [{ key: params.key }], url: encodeURIComponent(params.key) });
    log.warn('failed', { error: new Error(`refused ${params.key}`) });
  }, true);
  expect(outcome).toMatchObject({ kind: 'succeeded' });
  expect(kept.map(({ line }) => [line.message, line.fields])).toEqual([
    ['key [secret key]', { nested: [{ key: '[secret key]' }], url: '[secret key]' }],
    ['failed', { error: 'Error: refused [secret key]' }],
  ]);
  expect(JSON.stringify([kept, printed])).not.toContain('swordfish');
});

it('lines after the end of the attempt are kept, too', async () => {
  let log: TaskContext<unknown>['log'] | undefined;
  const { kept } = await ran(async (context) => {
    log = context.log;
  });
  log?.info('late');
  expect(kept.map(({ line }) => line.message)).toEqual(['late']);
});
