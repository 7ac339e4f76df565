import { afterEach, describe, expect, it, vi } from 'vitest';
import { eachItem } from '../../../console/tray/each-item.ts';
import {
  dismissFinished,
  hasTaskOfPage,
  startEach,
  startOperation,
  tray,
} from '../../../console/tray/tray.ts';
import type { PunctualClient } from '../../../src/client/client.ts';

afterEach(() => tray.set([]));
const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `j${index}`, name: `job ${index}` }));

describe('a loop over items', () => {
  it('does each item once, at most four at the same time', async () => {
    let running = 0;
    let most = 0;
    const seen: number[] = [];
    await eachItem(
      Array.from({ length: 30 }, (_, index) => index),
      async (item) => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        seen.push(item);
        running--;
      },
      { signal: new AbortController().signal, onEnd: () => {} },
    );
    expect([most, new Set(seen).size, seen.length]).toEqual([4, 30, 30]);
  });

  it('goes on after a failure, and begins nothing after a stop', async () => {
    const controller = new AbortController();
    const ended: [number, boolean][] = [];
    await eachItem(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      async (item) => {
        if (item === 1) throw new Error('refused');
        if (item === 3) controller.abort();
      },
      { signal: controller.signal, onEnd: (item, error) => ended.push([item, error !== undefined]) },
    );
    expect(ended.filter(([, failed]) => failed)).toEqual([[1, true]]);
    expect(ended.map(([item]) => item).sort()).toEqual([0, 1, 2, 3]);
  });
});

describe('a task of the tray', () => {
  it('counts what was done and lists what was refused', async () => {
    const after = vi.fn();
    const started = startEach({
      ...{ title: 'Pause 3 jobs', items: items(3), after },
      act: async ({ id }) => {
        if (id === 'j1') throw new Error('it is cancelled');
        return undefined;
      },
    });
    expect(hasTaskOfPage()).toBe(true);
    await started;
    expect(tray.get()).toMatchObject([
      {
        ...{ state: 'done', done: 3, total: 3, refusedCount: 1 },
        refused: [{ id: 'j1', name: 'job 1', reason: 'it is cancelled' }],
      },
    ]);
    expect([hasTaskOfPage(), after.mock.calls.length]).toEqual([false, 1]);
    dismissFinished();
    expect(tray.get()).toHaveLength(1);
  });

  it('can be stopped, and leaves the tray by itself if nothing was refused', async () => {
    await startEach({
      ...{ title: 'Run 9 jobs', items: items(9), after: () => {} },
      act: async () => {
        tray.get()[0]?.stop();
        return undefined;
      },
    });
    expect(tray.get()).toMatchObject([{ state: 'stopped', total: 9 }]);
    expect(tray.get()[0]?.done).toBeLessThan(9);
    tray.set([]);
    await startEach({ title: 'Run', items: items(2), after: () => {}, act: async () => undefined });
    dismissFinished();
    expect(tray.get()).toEqual([]);
  });

  it('counts the parts of an item that stands for several', async () => {
    const chunks = [
      { id: '0', name: '100 executions', size: 100 },
      { id: '1', name: '20 executions', size: 20 },
    ];
    await startEach({
      ...{ title: 'Dismiss 120 executions', items: chunks, after: () => {} },
      act: async ({ id }) => {
        if (id === '1') throw new Error('refused');
        return undefined;
      },
    });
    expect(tray.get()).toMatchObject([{ state: 'done', done: 120, total: 120, refusedCount: 20 }]);
  });

  it('shows the result of a single item', async () => {
    const link = { text: 'Open the execution', href: '/executions/x' };
    await startEach({ title: 'Run', items: items(1), after: () => {}, act: async () => ({ link }) });
    expect(tray.get()).toMatchObject([{ link }]);
  });

  const operation = { ...{ done: 2, total: 5, refused: [], refusedCount: 0 }, status: 'running' };
  const apiWith = (
    waitFor: (id: string, options: { onChange: (state: unknown) => void }) => Promise<unknown>,
  ) => {
    const stop = vi.fn(async () => ({}));
    return { api: { operations: { waitFor, stop } } as unknown as PunctualClient, stop };
  };

  it('follows an operation of the server to its end', async () => {
    const seen: number[] = [];
    const { api } = apiWith(async (_id, { onChange }) => {
      onChange(operation);
      seen.push(tray.get()[0]?.done ?? -1);
      return {
        ...operation,
        status: 'done',
        done: 5,
        refused: [{ id: 'j9', reason: 'no' }],
        refusedCount: 150,
      };
    });
    await startOperation({
      title: 'Pause',
      api,
      begin: async () => 'op_1',
      itemHref: (id) => `/jobs/${id}`,
      after: () => {},
    });
    expect(seen).toEqual([2]);
    expect(tray.get()).toMatchObject([
      { state: 'done', done: 5, refusedCount: 150, refused: [{ id: 'j9', href: '/jobs/j9', reason: 'no' }] },
    ]);
  });

  it('stops an operation, also before it has an id', async () => {
    const { api, stop } = apiWith(async () => ({ ...operation, status: 'stopped', reason: 'on request' }));
    const begin = async () => {
      tray.get()[0]?.stop();
      return 'op_2';
    };
    await startOperation({ title: 'Pause', api, begin, after: () => {} });
    expect(stop.mock.calls).toEqual([['op_2']]);
    expect(tray.get()).toMatchObject([{ state: 'stopped', reason: 'on request' }]);
  });

  it('says why a request was refused', async () => {
    const { api } = apiWith(async () => operation);
    const begin = () => Promise.reject(new Error('too many jobs'));
    await startOperation({ title: 'Pause', api, begin, after: () => {} });
    expect(tray.get()).toMatchObject([{ state: 'failed', reason: 'too many jobs' }]);
  });
});
