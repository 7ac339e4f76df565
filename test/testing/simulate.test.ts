import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { DoNotRetry, defineTask, RetryAfter } from '../../src/tasks/task.ts';
import { defineJob, occurrences, simulate } from '../../src/testing/index.ts';

const MONTH = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

const report = defineTask({
  name: 'report',
  description: 'writes a report',
  params: z.strictObject({ team: z.string(), pages: z.number().default(1) }),
  run: async ({ params, dueAt }) => ({ team: params.team, pages: params.pages, on: dueAt.toISOString() }),
});

describe('simulate', () => {
  it('runs a month of schedules: each occurrence once, at its due time', async () => {
    const nightly = defineJob(report, {
      name: 'nightly',
      params: { team: 'billing' },
      schedule: { cron: '0 2 * * *', timezone: 'Europe/Paris' },
    });
    const often = defineJob(report, {
      name: 'often',
      params: { team: 'web', pages: 3 },
      schedule: { every: 'PT5M', startAt: MONTH.from },
    });
    const { executions, of, jobs } = await simulate({ jobs: [nightly, often], tasks: [report], ...MONTH });
    expect(of('nightly').map(({ dueAt }) => dueAt)).toEqual(
      occurrences({ cron: '0 2 * * *', timezone: 'Europe/Paris' }, MONTH).map((due) => due.toISOString()),
    );
    expect(of('nightly')).toHaveLength(30);
    expect(of('often')).toHaveLength(30 * 24 * 12);
    expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['succeeded']));
    expect(new Set(executions.map(({ id }) => id)).size).toBe(executions.length);
    expect(Math.max(...executions.map(({ latenessMs = 0 }) => latenessMs))).toBe(0);
    expect(of('nightly')[0]).toMatchObject({
      job: 'nightly',
      attempt: 1,
      result: { team: 'billing', pages: 1, on: '2026-11-01T01:00:00.000Z' },
      timeline: { dueAt: '2026-11-01T01:00:00.000Z', startedAt: '2026-11-01T01:00:00.000Z' },
    });
    expect(jobs.map(({ status }) => status)).toEqual(['active', 'active']);
  });

  it('retries with the backoff of the job, and shows every attempt', async () => {
    const day = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };
    const { of } = await simulate({
      ...day,
      jobs: [
        {
          name: 'flaky',
          task: 'http',
          schedule: { cron: '0 3 * * *' },
          retry: { maxAttempts: 3, backoffSeconds: 60 },
        },
        { name: 'wrong', task: 'http', params: { url: 'x' }, schedule: { cron: '0 4 * * *' } },
        { name: 'busy', task: 'http', params: { busy: true }, schedule: { cron: '0 5 * * *' } },
        {
          name: 'long',
          task: 'http',
          params: { hours: true },
          schedule: { cron: '0 6 * * *' },
          retry: { maxAttempts: 2 },
        },
      ],
      tasks: {
        http: ({ attempt, params }) => {
          if (params.url) throw new DoNotRetry('404');
          if (params.busy && attempt === 1) throw new RetryAfter(600, 'busy');
          if (params.hours && attempt === 1) throw new RetryAfter(7200, 'in two hours');
          if (!params.busy && !params.hours && attempt < 3) throw new Error('503');
          return 'ok';
        },
      },
    });
    const [flaky] = of('flaky');
    expect(flaky).toMatchObject({ status: 'succeeded', attempt: 3, result: 'ok', latenessMs: 0 });
    expect(flaky?.attempts?.map(({ error }) => error?.message)).toEqual(['503', '503', undefined]);
    expect(of('wrong')).toMatchObject([{ status: 'failed', attempt: 1, error: { name: 'DoNotRetry' } }]);
    expect(of('busy')).toMatchObject([
      { attempt: 2, timeline: { startedAt: expect.stringMatching(/^2026-11-01T05:10:0/) } },
    ]);
    expect(of('long')).toMatchObject([
      { attempt: 2, timeline: { startedAt: expect.stringMatching(/^2026-11-01T08:00:/) } },
    ]);
  });

  it('lets virtual time pass in sleep: overlaps are skipped, timeouts stop the run', async () => {
    const { of } = await simulate({
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-01T01:00:00Z',
      jobs: [
        {
          name: 'slow',
          task: 'work',
          params: { minutes: 15 },
          timeoutSeconds: 3600,
          schedule: { cron: '*/10 * * * *' },
        },
        {
          name: 'stuck',
          task: 'work',
          params: { minutes: 60 },
          timeoutSeconds: 120,
          retry: { maxAttempts: 1 },
          schedule: { at: '2026-11-01T00:20:00Z' },
        },
      ],
      tasks: { work: ({ sleep, params }) => sleep(Number(params.minutes) * 60_000) },
    });
    expect(of('slow').map(({ dueAt, status }) => [dueAt.slice(14, 16), status])).toEqual([
      ['00', 'succeeded'],
      ['10', 'skipped'],
      ['20', 'succeeded'],
      ['30', 'skipped'],
      ['40', 'succeeded'],
      ['50', 'skipped'],
    ]);
    expect(of('slow')[0]).toMatchObject({ timeline: { startedAt: '2026-11-01T00:00:00.000Z' } });
    expect(of('stuck')).toMatchObject([
      { status: 'failed', timeline: { finishedAt: expect.stringMatching(/^2026-11-01T00:22:00/) } },
    ]);
  });

  it('keeps checkpoints between attempts, and waits for work in real time', async () => {
    const seen: unknown[] = [];
    const { of } = await simulate({
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-01T01:00:00Z',
      jobs: [{ name: 'import', task: 'import', schedule: { at: '2026-11-01T00:10:00Z' } }],
      tasks: {
        import: async ({ attempt, checkpoint, lastCheckpoint }) => {
          seen.push(lastCheckpoint);
          await new Promise((resolve) => setTimeout(resolve, 20));
          await checkpoint({ rows: attempt * 100 });
          if (attempt < 3) throw new Error('cut off');
        },
      },
    });
    expect(seen).toEqual([undefined, { rows: 100 }, { rows: 200 }]);
    expect(of('import')).toMatchObject([{ status: 'succeeded', attempt: 3 }]);
  });

  it('shows the progress of a task that still runs at the end', async () => {
    const { of } = await simulate({
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-01T00:11:00Z',
      jobs: [{ name: 'import', task: 'import', schedule: { at: '2026-11-01T00:10:00Z' } }],
      tasks: {
        import: async ({ progress, sleep }) => {
          for (let second = 0; second < 120; second++) {
            progress(second / 120, `row ${second}`);
            await sleep(1_000);
          }
        },
      },
    });
    // the heartbeat at 00:10:50 carried the report of that second or of the one before
    const [{ status, progress } = expect.fail()] = of('import');
    expect(status).toBe('running');
    expect(progress?.text).toMatch(/^row (49|50)$/);
    expect(progress?.fraction).toBeCloseTo(50 / 120, 1);
  });

  it('is the same for the same seed', async () => {
    const jobs = [{ task: 'x', schedule: { cron: '0 * * * *', jitterSeconds: 600 } }];
    const run = (seed: number) =>
      simulate({
        jobs,
        tasks: { x: () => {} },
        from: '2026-11-01T00:00:00Z',
        to: '2026-11-02T00:00:00Z',
        seed,
      });
    const [a, b, c] = [await run(1), await run(1), await run(2)];
    expect(a.executions).toEqual(b.executions);
    expect(a.executions).not.toEqual(c.executions);
    expect(a.executions.length).toBeGreaterThanOrEqual(23);
  });

  it('shows what still runs at the end, and what the job does next', async () => {
    const { executions, jobs } = await simulate({
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-01T00:10:00Z',
      jobs: [
        { task: 'x', timeoutSeconds: 3600, schedule: { at: '2026-11-01T00:09:00Z' } },
        { task: 'x', schedule: { cron: '0 9 * * *' } },
      ],
      tasks: { x: ({ sleep }) => sleep(600_000) },
    });
    expect(executions).toMatchObject([{ status: 'running', dueAt: '2026-11-01T00:09:00.000Z' }]);
    expect(jobs[1]).toMatchObject({ status: 'active', nextRunAt: '2026-11-01T09:00:00.000Z' });
  });

  it.each([
    [
      { jobs: [{ task: 'y' }] },
      'jobs[0].task: must be one of the tasks of the simulation ("report"), got "y"',
    ],
    [{ jobs: [{ task: 'report', params: {} }] }, 'jobs[0].params.team: is missing'],
    [{ jobs: [{ task: 'report', params: { team: 'a' }, schedule: { cron: 'x' } }] }, 'jobs[0].schedule.cron'],
    [{ jobs: [], from: 'tomorrow' }, 'from must be a Date or ISO 8601 with an offset'],
    [{ jobs: [], from: '2026-12-02T00:00:00Z' }, 'from must be before to'],
  ])('refuses %j', async (given, message) => {
    await expect(simulate({ ...MONTH, tasks: [report], ...given })).rejects.toThrow(message);
  });

  it('lets a task wait for several sleeps at once, and for the first of them', async () => {
    const { of } = await simulate({
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-01T03:00:00Z',
      jobs: [
        { name: 'all', task: 'all', schedule: { at: '2026-11-01T00:10:00Z' } },
        { name: 'race', task: 'race', schedule: { at: '2026-11-01T00:20:00Z' } },
        { name: 'after', task: 'all', schedule: { at: '2026-11-01T02:00:00Z' } },
      ],
      tasks: {
        async all({ sleep, now, dueAt }) {
          await Promise.all([sleep(1_000), sleep(5_000), sleep(2_000)]);
          return now().getTime() - dueAt.getTime();
        },
        async race({ sleep, now, dueAt }) {
          await Promise.race([sleep(60_000), sleep(3_000)]);
          return now().getTime() - dueAt.getTime();
        },
      },
    });
    expect(['all', 'race', 'after'].map((job) => of(job)[0]?.result)).toEqual([5_000, 3_000, 5_000]);
  });

  it('reports a task that never returns', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const simulated = simulate({
        from: '2026-11-01T00:00:00Z',
        to: '2026-11-01T01:00:00Z',
        jobs: [{ task: 'x', schedule: { at: '2026-11-01T00:10:00Z' } }],
        tasks: { x: () => new Promise(() => {}) },
      }).catch((error: unknown) => error);
      let result: unknown;
      void simulated.then((value) => (result = value));
      for (let seconds = 0; result === undefined && seconds < 10_000; seconds++) {
        await turn();
        vi.advanceTimersByTime(1_000);
      }
      expect(result).toMatchObject({
        message: expect.stringContaining('did not return within 5 s of real time'),
      });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('occurrences', () => {
  it('has the due times of a range, with the rules of the time zone', () => {
    const days = occurrences(
      { cron: '30 2 * * *', timezone: 'Europe/Paris' },
      { from: '2026-03-28T00:00:00Z', to: '2026-03-31T00:00:00Z' },
    );
    expect(days.map((day) => day.toISOString())).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    expect(
      occurrences('0 0 1 * *', { from: new Date('2026-01-01T00:00:00Z'), to: '2027-01-01T00:00:00Z' }),
    ).toHaveLength(12);
  });

  it('refuses a wrong schedule and a range without an end in sight', () => {
    expect(() => occurrences('61 * * * *', MONTH)).toThrow('schedule.cron');
    expect(() =>
      occurrences({ every: 'PT1S' }, { from: '2020-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' }),
    ).toThrow('more than');
  });
});

describe('defineJob', () => {
  it('is typed by the task, and refuses other params at run time too', () => {
    expect(defineJob(report, { params: { team: 'a' } })).toEqual({ task: 'report', params: { team: 'a' } });
    // @ts-expect-error the task needs a team
    expect(() => defineJob(report, { params: { pages: 1 } })).toThrow(
      'the task "report" does not take these params: params.team',
    );
    // @ts-expect-error and it has no such field
    expect(() => defineJob(report, { params: { team: 'a', size: 1 } })).toThrow('does not take these params');
  });
});
