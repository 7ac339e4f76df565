// A year of invoices in a unit test. `npx vitest run` runs it.
import { occurrences, simulate } from 'punctual/testing';
import { expect, test } from 'vitest';
import { createInvoices, invoicesJob } from './invoices.ts';

const YEAR = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
const NOVEMBER = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };

test('invoices go out on working days only', () => {
  const days = occurrences({ cron: '0 9 15W * *', timezone: 'Europe/Paris' }, YEAR);
  expect(days).toHaveLength(12);
  expect(days.map((day) => day.getUTCDay())).not.toContain(0);
  expect(days.map((day) => day.getUTCDay())).not.toContain(6);
  // 15 February 2026 is a Sunday
  expect(days[1]?.toISOString()).toBe('2026-02-16T08:00:00.000Z');
});

test('if the mail server is down for half an hour, the invoices of November are late, not lost', async () => {
  const sent: string[] = [];
  let calls = 0;
  const invoices = createInvoices({
    async send(team, month) {
      if (++calls <= 2) throw new Error('connection refused');
      sent.push(`${team} ${month}`);
    },
  });
  const { of } = await simulate({
    jobs: [invoicesJob(invoices, 'billing'), invoicesJob(invoices, 'closed')],
    tasks: [invoices],
    ...NOVEMBER,
  });
  expect(sent).toEqual(['billing 2026-11']);
  expect(of('invoices-billing')).toMatchObject([
    { status: 'succeeded', attempt: 3, dueAt: '2026-11-16T08:00:00.000Z', result: { month: '2026-11' } },
  ]);
  expect(of('invoices-closed')).toMatchObject([{ status: 'failed', attempt: 1 }]);
});
