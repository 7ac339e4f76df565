// A create or edit is refused if the job would send e-mail to an address that the configuration does not allow.
// test/tasks/aws.test.ts and test/notifications/targets.test.ts test the same at the time of sending.
import { describe, expect, it } from 'vitest';
import { testApi } from './api.ts';

const notify = (to: string) => [
  { on: ['succeeded'], webhook: { url: 'https://example.com/' } },
  { on: ['failed'], email: { to } },
];
const task = (to: string) => ({
  task: 'email',
  params: { from: 'jobs@example.com', to: ['ops@example.com'], bcc: [to], subject: 'Hi', text: 'Hello' },
});
const ELSEWHERE = 'eve@elsewhere.example';
const JOBS = {
  'a notification': {
    path: 'notify[1].email.to',
    body: (to: string) => ({ task: 'noop', notify: notify(to) }),
  },
  'the task email': { path: 'params.bcc[0]', body: task },
};

describe.each(Object.entries(JOBS))('an e-mail by %s', (_, { path, body }) => {
  it.each(['POST /jobs', 'POST /jobs later', 'POST /jobs/batch', 'PATCH /jobs/{id}'] as const)(
    'to an address that is not allowed is refused by %s, and nothing is stored',
    async (how) => {
      const { call, create, stored } = testApi();
      const { id } = await create({ schedule: { every: 'PT1H' } });
      const before = stored();
      const job = body(ELSEWHERE);
      const answer = await {
        'POST /jobs': () => call('POST', '/jobs', { body: job }),
        'POST /jobs later': () => call('POST', '/jobs', { body: job, headers: { prefer: 'respond-async' } }),
        'POST /jobs/batch': async () => {
          const { body } = await call('POST', '/jobs/batch', { body: { jobs: [job] } });
          return { status: body.results[0].status, body: body.results[0].error };
        },
        'PATCH /jobs/{id}': () => call('PATCH', `/jobs/${id}`, { body: job }),
      }[how]();
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([
        {
          path,
          message: `must be a recipient that the configuration allows (PUNCTUAL_EMAIL_RECIPIENTS), got "${ELSEWHERE}"`,
        },
      ]);
      expect(stored()).toBe(before);
    },
  );

  it('to an allowed address is accepted', async () => {
    const { call } = testApi();
    expect((await call('POST', '/jobs', { body: body('Ann@EXAMPLE.com') })).status).toBe(201);
  });

  it('is off when no recipients are configured', async () => {
    const { call } = testApi({ emailRecipients: [] });
    const { status, body: problem } = await call('POST', '/jobs', { body: body('ann@example.com') });
    expect(status).toBe(400);
    expect(problem.detail).toMatch(
      /e-mail is off: the configuration allows no recipients \(PUNCTUAL_EMAIL_RECIPIENTS\)/,
    );
  });
});

it('an edit of something else keeps recipients that were allowed before', async () => {
  const api = testApi();
  const { id } = await api.create({ schedule: { every: 'PT1H' }, notify: notify('ops@example.com') });
  expect((await api.call('PATCH', `/jobs/${id}`, { body: { name: 'renamed' } })).status).toBe(200);
});
