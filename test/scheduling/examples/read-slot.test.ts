import { expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { idOf, onePerExecution, readWholeSlot, rowsOf } from '../../../src/scheduling/planning/read-slot.ts';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import { anEntry, aRow } from '../../support/fixtures.ts';
import { at, standingWorld } from '../../support/standing-world.ts';

const DUE = { at: at('12:01:00'), due: dueKey(at('12:01:00')) };

test('a slot is read page by page, and an execution with an entry and a check counts once', async () => {
  const store = new MemoryStore({ shards: 1, slotPage: 2 });
  const context = { ...standingWorld().context, store };
  const [one, another] = [anEntry({ ...DUE, jobId: 'job_a' }), anEntry({ ...DUE, jobId: 'job_b' })];
  await store.putEntries([one, another, { ...one, kind: 'check' }]);

  const entries = await readWholeSlot(context, minuteOf(DUE.at), 0);
  expect(entries).toHaveLength(3);
  expect(onePerExecution(entries)).toEqual([one, another]);
});

test('an open row is read again consistently, because the first read may be older than its end', async () => {
  const store = new MemoryStore({ shards: 1, stale: () => true });
  const context = { ...standingWorld().context, store };
  const entry = anEntry(DUE);
  const running = aRow({ ...entry, status: 'RUNNING' });
  await store.insertRow(running);
  await store.updateRow(running, { ...running, status: 'SUCCEEDED' });

  expect(await store.readRows([entry], { consistent: false })).toMatchObject([{ status: 'RUNNING' }]);
  expect((await rowsOf(context, [entry])).get(idOf(entry))?.status).toBe('SUCCEEDED');
});
