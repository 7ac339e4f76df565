// The findings of an audit.
import { expect, it } from 'vitest';
import { findingsOf } from '../../../console/screens/why/findings.ts';

const range = { from: Date.parse('2026-11-18T00:00:00Z'), to: Date.parse('2026-11-18T06:00:00Z') };

it('lists missing, doubled, late, skipped and unexpected ones, newest first', () => {
  const findings = findingsOf(
    {
      missing: [{ dueAt: '2026-11-18T01:00:00.000Z' }],
      doubled: [{ dueAt: '2026-11-18T02:00:00.000Z', executionIds: ['a', 'b'] }],
      late: [{ dueAt: '2026-11-18T03:00:00.000Z', executionId: 'c', status: 'succeeded', latenessMs: 3000 }],
      unexpected: [{ dueAt: '2026-11-18T05:00:00.000Z', executionId: 'e' }],
    },
    [
      { id: 'd', dueAt: '2026-11-18T04:00:00.000Z', status: 'skipped', reason: 'another one was running' },
      { id: 'f', dueAt: '2026-11-17T23:00:00.000Z', status: 'skipped' },
      { id: 'c', dueAt: '2026-11-18T03:00:00.000Z', status: 'succeeded' },
    ],
    range,
  );
  expect(findings.map(({ what, executionId, detail }) => [what, executionId, detail])).toEqual([
    ['not expected', 'e', 'The present schedule has no occurrence at this time.'],
    ['skipped', 'd', 'another one was running'],
    ['late', 'c', '3 s late, succeeded'],
    ['doubled', 'a', '2 executions are recorded.'],
    ['missing', undefined, 'No execution is recorded.'],
  ]);
});

it('has no findings if there is nothing to find', () => {
  expect(findingsOf({ missing: [], doubled: [], late: [], unexpected: [] }, [], range)).toEqual([]);
});
