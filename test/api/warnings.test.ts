// Warnings about a schedule are in the response to the create or edit. Without warnings, the field is absent.
import { describe, expect, it } from 'vitest';
import { testApi } from './api.ts';

const EITHER = { schedule: { cron: '0 9 13 * FRI' } };
const warning = { kind: 'eitherDay', message: expect.stringMatching(/match either one/) };
const task = 'noop';

describe('warnings of a schedule', () => {
  it('are in the answer to a create, and to the same request again', async () => {
    const { call } = testApi();
    const request = { body: { task, ...EITHER }, headers: { 'idempotency-key': 'one' } };
    for (let time = 1; time <= 2; time++) {
      const { status, body } = await call('POST', '/jobs', request);
      expect({ status, warnings: body.warnings }).toEqual({ status: 201, warnings: [warning] });
    }
  });

  it('are the ones that a preview gives', async () => {
    const { call } = testApi();
    const schedule = { cron: '30 2 13,14 * SUN', timezone: 'America/New_York' };
    const { body } = await call('POST', '/jobs', { body: { task, schedule } });
    const preview = await call('POST', '/schedules/preview', { body: { schedule } });
    expect(body.warnings.map(({ kind }: { kind: string }) => kind)).toEqual(['eitherDay', 'dstGap']);
    expect(body.warnings).toEqual(preview.body.warnings);
  });

  it('are in the answers to a batch, each with its own job', async () => {
    const { call } = testApi();
    const { body } = await call('POST', '/jobs/batch', { body: { jobs: [{ task, ...EITHER }, { task }] } });
    expect(body.results[0].job.warnings).toEqual([warning]);
    expect(body.results[1].job).not.toHaveProperty('warnings');
  });

  it('are beside the id of a job that was accepted', async () => {
    const { call } = testApi();
    const answer = await call('POST', '/jobs', {
      body: { task, ...EITHER },
      headers: { prefer: 'respond-async' },
    });
    expect(answer).toMatchObject({ status: 202, body: { id: expect.any(String), warnings: [warning] } });
  });

  it('are in the answer to a change of the schedule, not to other changes, and in no other view', async () => {
    const { call, create } = testApi();
    const job = await create({ schedule: { cron: '0 9 * * *' } });
    expect(job).not.toHaveProperty('warnings');
    const changed = await call('PATCH', `/jobs/${job.id}`, { body: EITHER });
    expect(changed.body.warnings).toEqual([warning]);
    for (const { body } of [
      await call('PATCH', `/jobs/${job.id}`, { body: { name: 'other' } }),
      await call('GET', `/jobs/${job.id}`),
      await call('POST', `/jobs/${job.id}/pause`),
      await call('POST', `/jobs/${job.id}/resume`),
      (await call('GET', '/jobs')).body.items.map((body: unknown) => ({ body }))[0],
    ]) {
      expect(body.schedule).toMatchObject(EITHER.schedule);
      expect(body).not.toHaveProperty('warnings');
    }
  });

  it('say of a paused job that its new schedule never fires', async () => {
    const { call, create } = testApi();
    const { id } = await create({ schedule: { cron: '0 9 * * *' } });
    await call('POST', `/jobs/${id}/pause`);
    const { body } = await call('PATCH', `/jobs/${id}`, { body: { schedule: { cron: '0 0 30 2 *' } } });
    expect(body.warnings).toEqual([expect.objectContaining({ kind: 'neverFires' })]);
  });
});
