// The lag of the watcher and the run slots of workers, which two screens show.
import { expect, it } from 'vitest';
import { lagState, lagText, MAX_NORMAL_LAG_SECONDS } from '../../../console/parts/lag-text.ts';
import { slotsOf } from '../../../console/parts/run-slots.ts';

const AT = '2026-11-18T10:00:00.000Z';
const worker = (id: string, more: object = {}) => ({
  ...{ id, host: 'host', startedAt: AT, lastSeenAt: AT, running: [], concurrency: 10 },
  ...more,
});

it('leaves out draining workers from the slots, and does not guess unknown ones', () => {
  const busy = { running: [{ id: 'x', since: AT }] };
  expect(slotsOf([worker('a', busy), worker('b', { ...busy, draining: true })])).toEqual({
    used: 1,
    all: 10,
  });
  expect(slotsOf([worker('a', busy), worker('b', { concurrency: undefined })])).toEqual({ used: 1 });
  expect(slotsOf([])).toEqual({ used: 0, all: 0 });
});

it('calls a lag normal up to two passes of the watcher', () => {
  expect(lagState(undefined)).toBe('unknown');
  expect(lagState(0)).toBe('onTime');
  expect(lagState(MAX_NORMAL_LAG_SECONDS)).toBe('onTime');
  expect(lagState(MAX_NORMAL_LAG_SECONDS + 1)).toBe('behind');
});

it('writes a lag with its unit, and a dash for an unknown one', () => {
  expect([lagText(undefined), lagText(0), lagText(60)]).toEqual(['–', '0 s', '60 s']);
});
