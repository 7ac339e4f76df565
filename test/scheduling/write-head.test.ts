// Writes of a job's head.
import { expect, it } from 'vitest';
import { JOB_TRANSITIONS } from '../../src/domain/jobs/job.ts';
import { JOB_STATUSES } from '../../src/domain/views/resource-schemas.ts';
import { writeHead } from '../../src/scheduling/records/write-head.ts';
import { NOON, standingWorld } from '../support/standing-world.ts';

it.each(JOB_STATUSES)('changes the status of a job that is %s only as the table says', async (from) => {
  const { context, store, create } = standingWorld();
  const jobId = await create({ schedule: { every: 'PT1M' } });
  for (const to of JOB_STATUSES) {
    const created = await store.readHead(jobId, { consistent: true });
    if (!created) throw new Error('there is no job');
    const seen = { ...created, status: from, version: created.version + 1 };
    await store.updateHead(created, { status: from, version: seen.version });
    const write = writeHead(context, seen, { status: to, version: seen.version + 1, updatedAt: NOON });
    if (JOB_TRANSITIONS[from].includes(to)) await expect(write).resolves.toBe(true);
    else await expect(write).rejects.toThrow(`the status ${to} cannot follow ${from}`);
    const now = await store.readHead(jobId, { consistent: true });
    expect(now?.status).toBe(JOB_TRANSITIONS[from].includes(to) ? to : from);
  }
});
