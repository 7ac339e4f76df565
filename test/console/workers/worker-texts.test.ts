// Workers in words and numbers.
import { expect, it } from 'vitest';
import { endedText, runningOf } from '../../../console/screens/workers/worker-texts.ts';

const AT = '2026-11-18T10:00:00.000Z';
const minute = (counts: object) => ({ at: AT, succeeded: 0, failed: 0, skipped: 0, cancelled: 0, ...counts });
const worker = (id: string, more: object = {}) => ({
  ...{ id, host: 'host', startedAt: AT, lastSeenAt: AT, running: [], concurrency: 10 },
  ...more,
});

it('sums the minutes of a worker, and says nothing about one that does not count', () => {
  expect(endedText({})).toBeUndefined();
  expect(endedText({ recent: [minute({})] })).toBe('none');
  expect(endedText({ recent: [minute({ succeeded: 1200 }), minute({ succeeded: 4, failed: 1 })] })).toBe(
    '1,204 succeeded, 1 failed',
  );
});

it('lists the running executions of all workers, the longest first', () => {
  const running = (id: string, since: string) => ({ id, since });
  const found = runningOf([
    worker('a', { running: [running('x', '2026-11-18T10:00:02.000Z')] }),
    worker('b', { running: [running('y', '2026-11-18T10:00:01.000Z')] }),
  ]);
  expect(found.map(({ id, workerId }) => `${id} on ${workerId}`)).toEqual(['y on b', 'x on a']);
});
