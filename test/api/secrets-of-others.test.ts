// An operator may edit a tenant's job. The job runs with the tenant's secrets, so an operator must not decide where they are
// sent.
import { describe, expect, it } from 'vitest';
import { testApi } from './api.ts';

const OPERATOR = { user: 'olga', groups: ['punctual-operators'] };
const secret = { Authorization: { $secret: 'token' } };
const HOOK = { url: 'https://hooks.example.com/', headers: secret };
const ELSEWHERE = { url: 'https://olga.example.com/', headers: secret };
const webhook = [{ on: ['succeeded'], webhook: { url: 'https://olga.example.com/' } }];

async function aliceHas(params: object, task = 'http') {
  const api = testApi();
  const job = await api.create({ task, params, schedule: { every: 'PT1H' } });
  const edit = (body: object, call: object = OPERATOR) =>
    api.call('PATCH', `/jobs/${job.id}`, { ...call, body });
  const now = async () => (await api.call('GET', `/jobs/${job.id}`)).body;
  return { ...api, job, edit, now };
}

describe("an operator's edit of a tenant's job that refers to secrets is refused when it changes", () => {
  it.each([
    ['the target', HOOK, { params: ELSEWHERE }],
    ['another secret', HOOK, { params: { ...HOOK, headers: { Authorization: { $secret: 'other' } } } }],
    ['the place of the secret', HOOK, { params: { url: HOOK.url, body: { deep: [secret] } } }],
    ['a malformed reference', HOOK, { params: { ...HOOK, headers: { a: { $secret: 5 } } } }],
    ['params without secrets to some with', { url: HOOK.url }, { params: ELSEWHERE }],
    ['the task', { result: { $secret: 'token' } }, { task: 'http' }],
    ['the task and the params', { result: { $secret: 'token' } }, { task: 'http', params: ELSEWHERE }],
    ['who is notified', HOOK, { notify: webhook }],
    ['who is notified, and the name', HOOK, { name: 'x', notify: webhook }],
  ])('%s', async (_, params, patch) => {
    const { edit, now, stored, job } = await aliceHas(params, 'url' in params ? 'http' : 'noop');
    const [before, count] = [await now(), stored()];
    const answer = await edit(patch);
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toBe(
      `only the owner of job ${job.id}, alice, may make this change while params refer to secrets, because it could disclose them. Remove the references ("$secret") from params, or ask the owner`,
    );
    expect(await now()).toEqual(before);
    expect(stored()).toBe(count);
  });
});

describe('is accepted', () => {
  it.each([
    [
      'when the references are left out',
      HOOK,
      { params: { url: 'https://olga.example.com/' }, notify: webhook },
    ],
    [
      'when nothing of the kind changes',
      HOOK,
      { name: 'renamed', retry: { maxAttempts: 1 }, tags: { a: 'b' } },
    ],
    [
      'when the job is sent back as it was',
      HOOK,
      { task: 'http', params: HOOK, notify: [], name: 'renamed' },
    ],
    [
      'when there are no secrets',
      { url: HOOK.url },
      { params: { url: 'https://b.example.com/' }, notify: webhook },
    ],
    ['with another schedule', HOOK, { schedule: { every: 'PT2H' } }],
  ])('%s', async (_, params, patch) => {
    const { edit } = await aliceHas(params);
    expect((await edit(patch)).status).toBe(200);
  });

  it('from the owner, also when that is an operator', async () => {
    const { edit } = await aliceHas(HOOK);
    expect((await edit({ params: ELSEWHERE, notify: webhook }, { user: 'alice' })).status).toBe(200);
    const own = { user: 'alice', groups: ['punctual-operators'] };
    expect((await edit({ params: HOOK }, own)).status).toBe(200);
  });
});
