// The API when searches for occurrences end by their budget: what is refused, and how a job is shown whose next run is not known.
import { expect, it } from 'vitest';
import { aHead } from '../support/fixtures.ts';
import { NOW, testApi } from './api.ts';

/** Each look at a due time takes a step, and another process has found nothing yet. */
const FEW = { perSearch: 4, total: 12, remembers: false };
const RARE = {
  every: 'PT3599S',
  startAt: '2016-12-21T05:56:28Z',
  timezone: 'Europe/Paris',
  except: [{ cron: '* * * 1-11 *' }, { cron: '* * 1-20,22-31 12 *' }, { cron: '* 0-5,7-23 * * *' }],
};
const REFUSED =
  /^schedule\.except: no occurrence was found from .*Z to .*Z, where the search ended by its budget of steps; allowed is /;

const job = (schedule: object) => ({ task: 'noop', schedule });

it('a create, an edit, a preview and a job by name are refused with the field, the time searched and what is allowed', async () => {
  const { call, store } = testApi({ searchLimits: FEW });
  const { body: plain } = await call('POST', '/jobs', { body: job({ every: 'PT1H' }) });
  const requests: [string, string, object][] = [
    ['POST', '/jobs', job(RARE)],
    ['PATCH', `/jobs/${plain.id}`, { schedule: RARE }],
    ['PUT', '/jobs/by-name/default/rare', job(RARE)],
    ['POST', '/schedules/preview', { schedule: RARE, count: 3 }],
  ];
  for (const [method, path, body] of requests) {
    const answer = await call(method, path, { body });
    expect([path, answer.status]).toEqual([path, 422]);
    expect(answer.body.detail).toMatch(REFUSED);
  }
  const { body: batch } = await call('POST', '/jobs/batch', {
    body: { jobs: [job(RARE), job({ every: 'PT1H' })] },
  });
  expect(JSON.stringify(batch)).toContain('ended by its budget');
  expect(store.heads.all().map(({ schedule }) => 'except' in schedule)).not.toContain(true);
});

it('a job whose next run is searched for is active, and says since when in every view', async () => {
  const { call, store } = testApi({ searchLimits: FEW });
  const head = aHead({ userId: 'alice', createdAt: NOW - 1000, updatedAt: NOW - 1000, schedule: RARE });
  await store.insertHead(head);
  const since = new Date(NOW - 1000).toISOString();
  const { body: shown } = await call('GET', `/jobs/${head.jobId}`);
  expect(shown).toMatchObject({ status: 'active', searchingSince: since });
  expect(shown).not.toHaveProperty('nextRunAt');
  const { body: list } = await call('GET', '/jobs?status=active');
  expect(list.items).toMatchObject([{ id: head.jobId, searchingSince: since }]);
  expect((await call('GET', '/jobs?status=completed')).body.items).toEqual([]);
  expect((await call('GET', `/jobs/${head.jobId}/explain`)).body).toMatchObject({
    searchingSince: since,
  });
  const planned = await call('GET', `/jobs/${head.jobId}/executions?status=scheduled`);
  // the next page goes on with the search
  expect(planned.body).toMatchObject({ items: [], nextCursor: expect.any(String) });
  expect((await call('GET', '/executions?status=scheduled')).body.items).toEqual([]);
});

it('expensive schedules take no steps from the ordinary ones beside them', async () => {
  const { call, store } = testApi({ searchLimits: { perSearch: 50, total: 60, remembers: false } });
  for (let i = 0; i < 40; i++)
    await store.insertHead(
      aHead({
        jobId: `job_${String(i).padStart(20, '0')}`,
        userId: 'alice',
        schedule: i % 2 ? RARE : { cron: '0 9 * * *', timezone: 'Europe/Paris' },
      }),
    );
  const { body } = await call('GET', '/jobs?limit=100');
  const withNext = body.items.filter((one: { nextRunAt?: string }) => one.nextRunAt !== undefined);
  expect(withNext.length).toBeGreaterThanOrEqual(20);
});
