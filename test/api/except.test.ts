// Exclusions through the API: a create, an edit and the preview.
import { expect, it } from 'vitest';
import { testApi } from './api.ts';

it('a schedule whose exclusions leave no time is refused with 422, and nothing is created', async () => {
  const { call } = testApi();
  for (const schedule of [
    { cron: '*/2 * * * *', except: [{ cron: '*/2 * * * *' }] },
    { every: 'PT1S', except: [{ cron: '* * * * *' }] },
    {
      cron: '* * * * * *',
      endAt: '2035-01-01T00:00:00Z',
      except: [{ from: '2020-01-01', to: '2035-12-31' }],
    },
  ]) {
    const { status, body } = await call('POST', '/jobs', { body: { task: 'noop', schedule } });
    expect({ status, detail: (body as { detail: string }).detail }).toMatchObject({
      status: 422,
      detail: expect.stringContaining('has no occurrence after'),
    });
  }
  expect((await call('GET', '/jobs')).body).toMatchObject({ items: [] });
});

it('an edit of the exclusions is an edit of the schedule: the next run moves', async () => {
  const { call, create } = testApi();
  const schedule = { cron: '0 9 * * *', startAt: '2100-01-01T00:00:00Z' };
  const { id, nextRunAt } = await create({ schedule });
  expect(nextRunAt).toBe('2100-01-01T09:00:00.000Z');
  const edited = { schedule: { ...schedule, except: ['2100-01-01'] } };
  const { status, body } = await call('PATCH', `/jobs/${id}`, { body: edited });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { nextRunAt: '2100-01-02T09:00:00.000Z', version: 2, schedule: { except: ['2100-01-01'] } },
  });
});

it('an error names the exclusion', async () => {
  const { call } = testApi();
  const schedule = { cron: '0 9 * * *', except: ['2026-12-25', { from: '2026-12-32', to: '2027-01-01' }] };
  const { status, body } = await call('POST', '/schedules/preview', { body: { schedule } });
  expect({ status, body }).toMatchObject({
    status: 400,
    body: {
      errors: [
        {
          path: 'schedule.except[1].from',
          message: '"2026-12-32" does not exist: check the month and the day of the month',
        },
      ],
    },
  });
});
