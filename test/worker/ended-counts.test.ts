import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/domain/executions/row.ts';
import { MINUTE, minuteOf } from '../../src/domain/executions/slots.ts';
import type { Store } from '../../src/store/store.ts';
import { EndedCounts, MINUTES_COUNTED } from '../../src/worker/ended-counts.ts';
import { BEAT_MS } from '../../src/worker/worker.ts';
import { aRow } from '../support/fixtures.ts';
import { NOON, settle } from '../support/standing-clock.ts';
import { message, start } from './harness.ts';

describe('counts of ended executions', () => {
  it('are per minute and outcome, newest first', () => {
    const counts = new EndedCounts();
    counts.add('SUCCEEDED', NOON);
    counts.add('FAILED', NOON + 1);
    counts.add('SUCCEEDED', NOON + MINUTE - 1);
    counts.add('SKIPPED', NOON + MINUTE);
    counts.add('CANCELLED', NOON + 3 * MINUTE);
    const noon = minuteOf(NOON);
    expect(counts.recent(NOON + 3 * MINUTE)).toEqual([
      { minute: noon + 3, cancelled: 1 },
      { minute: noon + 1, skipped: 1 },
      { minute: noon, succeeded: 2, failed: 1 },
    ]);
  });

  it('forget minutes before the last five, however long the worker runs', () => {
    const counts = new EndedCounts();
    for (let minute = 0; minute < 1000; minute++) counts.add('SUCCEEDED', NOON + minute * MINUTE);
    const recent = counts.recent(NOON + 999 * MINUTE);
    expect(recent.map(({ minute }) => minute - minuteOf(NOON))).toEqual([999, 998, 997, 996, 995]);
    expect(recent).toHaveLength(MINUTES_COUNTED);
    expect(counts.recent(NOON + 1004 * MINUTE)).toEqual([]);
  });
});

describe('the row of a worker', () => {
  /** A worker whose handler writes these rows, on a store that refuses those with the fence `stale`. */
  function withRows(rows: readonly Row[]) {
    const world = start({
      concurrency: 7,
      handleMessage: async ({ store }, _worker, received) => {
        for (const row of rows) {
          await store.insertRow(row);
          await store.updateRow(row, row);
        }
        await received.delete();
      },
    });
    const store = world.store as Store;
    return { ...world, store };
  }

  it('carries the executions that it has ended, with no write in addition', async () => {
    const rows = [
      aRow(),
      aRow({ status: 'FAILED' }),
      aRow({ status: 'RETRYING' }),
      aRow({ status: 'RUNNING' }),
    ];
    const { store, receiver, clock, rows: beats } = withRows(rows);
    store.insertRow = async () => true;
    store.updateRow = async () => false; // refused, so it does not count
    expect(beats).toHaveLength(1);
    receiver.put(message(), message());
    await settle();
    expect(beats).toHaveLength(1);
    await clock.advance(BEAT_MS);
    expect(beats).toHaveLength(2);
    expect(beats[1]?.ended).toEqual([{ minute: minuteOf(NOON), succeeded: 2, failed: 2 }]);
  });

  it('has its concurrency and its version, and says that it drains', async () => {
    const { worker, clock, rows, receiver, fake } = start({ concurrency: 7 });
    expect(rows[0]).toMatchObject({ concurrency: 7, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(rows[0]).not.toHaveProperty('draining');
    expect(rows[0]).not.toHaveProperty('ended');
    receiver.put(message());
    await settle();
    const stopped = worker.stop({ deadlineMs: 60_000 });
    await clock.advance(BEAT_MS);
    expect(rows.at(-1)).toMatchObject({ draining: true, running: [{}] });
    fake.endAll();
    await settle();
    await stopped;
  });
});
