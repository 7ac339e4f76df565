// Following executions: nothing is shown twice, nothing that ended stays open, and a burst is read completely.
import { describe, expect, it } from 'vitest';
import {
  type FollowSource,
  followStep,
  MAX_FOLLOWED,
  merged,
} from '../../../console/screens/executions/follow.ts';
import type { Execution } from '../../../src/client/types.ts';

const one = (number: number, status = 'succeeded') =>
  ({ id: `job.${number}`, jobId: 'job', status, dueAt: new Date(number * 1000).toISOString() }) as Execution;
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => one(to - 1 - index));
const ids = (executions: readonly Execution[]) => executions.map(({ id }) => Number(id.slice(4)));

/** A server with these executions, in pages of `size`. */
function server(
  recorded: readonly Execution[],
  { running = [] as Execution[], size = 3, matches = (_: Execution): boolean => true } = {},
) {
  const read = { pages: 0, byId: [] as string[] };
  const source: FollowSource = {
    recorded: async (cursor = '0') => {
      read.pages++;
      const begin = Number(cursor);
      const end = begin + size;
      const more = end < recorded.length;
      return { items: recorded.slice(begin, end), ...(more && { nextCursor: String(end) }) };
    },
    running: async () => running,
    one: async (id) => {
      read.byId.push(id);
      return recorded.find((execution) => execution.id === id);
    },
    matches,
  };
  return { source, read };
}

describe('following', () => {
  it('begins with one page and what runs, newest first', async () => {
    const { source, read } = server(range(0, 9), { running: [one(20, 'running')] });
    expect(ids(await followStep(source, undefined))).toEqual([20, 8, 7, 6]);
    expect(read.pages).toBe(1);
  });

  it('reads further pages until it reaches what it knows', async () => {
    const { source, read } = server(range(0, 12));
    expect(ids(await followStep(source, range(0, 4)))).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(read.pages).toBe(3);
  });

  it('stops after five pages of a burst', async () => {
    const { source, read } = server(range(0, 100));
    await followStep(source, [one(0)]);
    expect(read.pages).toBe(5);
  });

  it('reads the end of an execution that is beyond the first page', async () => {
    const { source, read } = server([...range(10, 13), one(1)]);
    const shown = await followStep(source, [one(12), one(1, 'running')]);
    expect(shown.find(({ id }) => id === 'job.1')?.status).toBe('succeeded');
    expect(read.byId).toEqual(['job.1']);
  });

  it('removes an open execution that no longer exists, or no longer matches', async () => {
    const gone = server(range(10, 13));
    expect(ids(await followStep(gone.source, [one(12), one(1, 'running')]))).toEqual([12, 11, 10]);
    const other = server([one(12, 'running'), one(1, 'failed')], {
      size: 1,
      matches: ({ status }) => status === 'running',
    });
    expect(ids(await followStep(other.source, [one(12, 'running'), one(1, 'running')]))).toEqual([12]);
  });

  it('prefers the recorded execution to the report of a worker', async () => {
    const { source } = server([one(1)], { running: [one(1, 'running')] });
    expect((await followStep(source, undefined)).map(({ status }) => status)).toEqual(['succeeded']);
  });

  it('keeps the newest thousand', async () => {
    const { source } = server(range(0, 1_002), { size: 100 });
    const shown = await followStep(source, range(0, 1_000));
    expect(shown).toHaveLength(MAX_FOLLOWED);
    expect(ids(shown)[0]).toBe(1_001);
  });
});

it('merges running executions with recorded ones, each once', () => {
  expect(ids(merged([one(2), one(1)], [one(3, 'running'), one(2, 'running')]))).toEqual([3, 2, 1]);
  expect(merged([one(2)], [one(2, 'running')])[0]?.status).toBe('succeeded');
});
