// A month of a custom task on virtual time. The outcomes of `punctual/tasks` must be those that `punctual/testing` knows.
import { DoNotRetry, defineTask } from 'punctual/tasks';
import { defineJob, occurrences, simulate } from 'punctual/testing';
import { z } from 'zod';

const MONTH = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
const SCHEDULE = { cron: '0 9 * * *', timezone: 'Europe/Paris' };

const invoices = defineTask({
  name: 'invoices',
  description: 'Sends the invoices of a team.',
  params: z.strictObject({ team: z.string() }),
  async run({ params: { team } }) {
    if (team === 'closed') throw new DoNotRetry('the team has no account any more');
    return team;
  },
});
const jobs = ['billing', 'closed'].map((team) =>
  defineJob(invoices, { name: team, params: { team }, schedule: SCHEDULE }),
);
const { of } = await simulate({ jobs, tasks: [invoices], ...MONTH });
const [closed] = of('closed');
console.log(
  JSON.stringify([occurrences(SCHEDULE, MONTH).length, of('billing').length, closed.status, closed.attempt]),
);
