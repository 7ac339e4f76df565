// The buffer between tasks and the store of their lines: its bounds, its order, and what it does while the store is slow or fails.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueKey, executionId } from '../../src/domain/executions/ids.ts';
import {
  decodeLine,
  type EncodedLine,
  encodeLine,
  MAX_LINES,
  MAX_LINES_BYTES,
} from '../../src/domain/executions/log-line.ts';
import type { LogLineStore } from '../../src/store/log-lines.ts';
import { createMemoryLogLines } from '../../src/store/memory/memory-log-lines.ts';
import type { ExecutionKey } from '../../src/store/store.ts';
import {
  createLogBuffer,
  MAX_ROUND_BYTES,
  MAX_WAITING_BYTES,
  ROUND_MS,
} from '../../src/telemetry/stored/log-buffer.ts';
import { createStoredLogs } from '../../src/telemetry/stored/stored-logs.ts';
import { aJobId, T0 } from '../support/fixtures.ts';

const aKey = (): ExecutionKey => ({ jobId: aJobId(), due: dueKey(T0) });
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A buffer whose rounds begin when the test says so. */
function opened(store: LogLineStore = createMemoryLogLines(10_000)) {
  const appended: { id: string; lines: readonly EncodedLine[] }[] = [];
  const lost: unknown[][] = [];
  const sleeps: number[] = [];
  let wake = () => {};
  const timer = {
    now: () => T0,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        sleeps.push(ms);
        wake = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
        if (signal?.aborted) resolve();
      }),
  };
  const recording: LogLineStore = {
    ...store,
    appendLines(key, owner, lines) {
      appended.push({ id: executionId(key.jobId, key.due), lines });
      return store.appendLines(key, owner, lines);
    },
  };
  const buffer = createLogBuffer({ store: recording, timer, onLost: (...args) => lost.push(args) });
  const log = (key: ExecutionKey, message: string, fields?: Record<string, unknown>) =>
    buffer.record(key, 'ann', { at: T0, level: 'info', message, attempt: 1, ...(fields && { fields }) });
  const round = async () => {
    wake();
    await settled();
    await settled();
  };
  const messages = async (key: ExecutionKey) =>
    (await store.readLines(key, 0, 10_000)).map(({ record }) => decodeLine(record).message);
  return { buffer, appended, lost, sleeps, log, round, messages, store };
}

const bytesOf = (lines: readonly EncodedLine[]) => lines.reduce((sum, { bytes }) => sum + bytes, 0);

describe('rounds', () => {
  it('the lines of a round are one append per execution', async () => {
    const { log, round, appended, sleeps, messages } = opened();
    const [a, b] = [aKey(), aKey()];
    for (let i = 0; i < 3; i++) for (const key of [a, b]) log(key, String(i));
    expect(appended).toEqual([]);
    expect(sleeps).toEqual([ROUND_MS]);
    await round();
    expect(appended).toHaveLength(2);
    expect(await messages(a)).toEqual(['0', '1', '2']);
    expect(await messages(b)).toEqual(['0', '1', '2']);
  });

  it('while nothing is logged, no timer runs', async () => {
    const { log, round, sleeps } = opened();
    log(aKey(), 'x');
    await round();
    await round();
    expect(sleeps).toEqual([ROUND_MS]);
  });

  it('a million lines cost memory and writes for the last of them only', async () => {
    const { log, round, appended, messages } = opened();
    const key = aKey();
    for (let i = 0; i < 1_000_000; i++) log(key, String(i));
    await round();
    expect(appended).toHaveLength(1);
    expect(appended[0]?.lines).toHaveLength(MAX_LINES);
    expect((await messages(key)).at(-1)).toBe('999999');
  });

  it('a round writes a bounded number of bytes, and each execution gets its turn', async () => {
    const { log, round, appended } = opened();
    const keys = Array.from({ length: 12 }, aKey);
    for (const key of keys) for (let i = 0; i < 100; i++) log(key, 'x'.repeat(1_000));
    for (let rounds = 1; rounds <= 3; rounds++) {
      const before = appended.length;
      await round();
      const written = appended.slice(before);
      expect(bytesOf(written.flatMap(({ lines }) => lines))).toBeLessThanOrEqual(MAX_ROUND_BYTES);
      expect(written.length).toBeGreaterThan(0);
    }
    expect(new Set(appended.map(({ id }) => id)).size).toBe(12);
  });

  it('property: whatever is logged, what waits and what an append has is within the bounds', async () => {
    const lines = fc.array(
      fc.record({ key: fc.nat(3), length: fc.oneof(fc.nat(80), fc.nat(9_000)), round: fc.boolean() }),
      { maxLength: 400 },
    );
    await fc.assert(
      fc.asyncProperty(lines, async (all) => {
        const { log, round, appended, messages, buffer } = opened();
        const keys = Array.from({ length: 4 }, aKey);
        const last = new Map<ExecutionKey, string>();
        for (const [i, { key, length, round: isRound }] of all.entries()) {
          const own = keys[key] as ExecutionKey;
          const message = `${i} ${'x'.repeat(length)}`.slice(0, 3_000);
          log(own, message, { length });
          last.set(own, message);
          if (isRound && i % 20 === 0) await round();
        }
        await buffer.close();
        for (const { lines } of appended) {
          expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
          expect(bytesOf(lines)).toBeLessThanOrEqual(MAX_LINES_BYTES);
        }
        for (const [key, message] of last) expect((await messages(key)).at(-1)).toBe(message);
      }),
      { numRuns: 30 },
    );
  });

  it('if the store does not answer, the oldest lines of all executions together are dropped', async () => {
    const stuck: LogLineStore = { appendLines: () => new Promise(() => {}), readLines: async () => [] };
    const { log, round, buffer, appended } = opened(stuck);
    const busy = aKey();
    log(busy, 'in flight');
    await round();
    const keys = Array.from({ length: 400 }, aKey);
    for (const key of keys) for (let i = 0; i < 20; i++) log(key, 'x'.repeat(3_900));
    void buffer.close();
    await settled();
    const kept = bytesOf(appended.slice(1).flatMap(({ lines }) => lines));
    expect(kept).toBeLessThanOrEqual(MAX_WAITING_BYTES);
    expect(kept).toBeGreaterThan(MAX_WAITING_BYTES * 0.9);
    expect(appended.at(-1)?.id).toBe(executionId(keys.at(-1)?.jobId ?? '', dueKey(T0)));
  });
});

describe('reads', () => {
  it('a read sees every line that was logged before it', async () => {
    const { log, buffer, store } = opened();
    const logs = createStoredLogs(store, buffer);
    const key = aKey();
    log(key, 'one');
    const range = { startedAt: T0, limit: 100 };
    expect((await logs.read(key, range)).items).toMatchObject([{ id: '1', message: 'one' }]);
    log(key, 'two');
    expect((await logs.read(key, { ...range, cursor: '1' })).items).toMatchObject([
      { id: '2', message: 'two' },
    ]);
    await expect(logs.read(key, { ...range, cursor: 'x' })).rejects.toThrow('cursor');
  });

  it('appends of one execution keep their order, however slow the store is', async () => {
    const memory = createMemoryLogLines();
    let delays = 5;
    const slow: LogLineStore = {
      ...memory,
      async appendLines(...args) {
        for (let i = delays--; i > 0; i--) await settled();
        await memory.appendLines(...args);
      },
    };
    const { log, buffer } = opened(slow);
    const key = aKey();
    const flushes = ['a', 'b', 'c', 'd'].map((message) => {
      log(key, message);
      return buffer.flush(key);
    });
    await Promise.all(flushes);
    expect((await memory.readLines(key, 0, 9)).map(({ record }) => decodeLine(record).message)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('a store that fails loses the lines and is reported, and later lines are stored', async () => {
    const memory = createMemoryLogLines();
    let fails = true;
    const broken: LogLineStore = {
      ...memory,
      appendLines: async (...args) => {
        if (fails) throw new Error('the disk is full');
        await memory.appendLines(...args);
      },
    };
    const { log, buffer, lost, messages } = opened(broken);
    const key = aKey();
    log(key, 'lost');
    await buffer.flush(key);
    expect(lost).toEqual([[executionId(key.jobId, key.due), 1, new Error('the disk is full')]]);
    fails = false;
    log(key, 'kept');
    await buffer.flush(key);
    expect(await messages(key)).toEqual(['kept']);
  });

  it('a stop stores all lines, and drops later ones', async () => {
    const { log, buffer, messages } = opened();
    const keys = Array.from({ length: 50 }, aKey);
    for (const key of keys) for (let i = 0; i < 30; i++) log(key, 'x'.repeat(2_000));
    await buffer.close();
    for (const key of keys) expect(await messages(key)).toHaveLength(30);
    log(keys[0] as ExecutionKey, 'late');
    await buffer.close();
    expect((await messages(keys[0] as ExecutionKey)).at(-1)).not.toBe('late');
  });
});

describe('a line', () => {
  const encoded = (message: unknown, fields?: Record<string, unknown>) =>
    decodeLine(
      encodeLine({ at: T0, level: 'warn', message: message as string, attempt: 2, ...(fields && { fields }) })
        .record,
    );

  it('has the fields of errors, and large integers as text', () => {
    const { fields } = encoded('x', {
      error: new TypeError('no', { cause: new Error('why') }),
      n: 10n ** 20n,
    });
    expect(fields).toMatchObject({
      error: { name: 'TypeError', message: 'no', cause: { message: 'why' } },
      n: '100000000000000000000',
    });
  });

  it('never fails: circular values, broken getters, messages that are no text', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(encoded('x', { circular }).fields).toMatchObject({
      unloggable: expect.stringContaining('circular'),
    });
    const broken = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('no such value');
      },
    });
    expect(encoded('x', broken).fields).toEqual({ unloggable: 'Error: no such value' });
    expect(encoded(undefined).message).toBe('undefined');
    expect(encoded({ a: 1 }).message).toBe('[object Object]');
  });

  it('is cut: long messages, and large fields by their start and length', () => {
    const long = encoded('🕐'.repeat(5_000), { text: 'y'.repeat(5_000) });
    expect(long.message).toHaveLength(4_001);
    expect(long.message.isWellFormed()).toBe(true);
    expect(long.fields).toEqual({
      truncated: true,
      length: 5_011,
      start: expect.stringMatching(/^\{"text":"yyy/),
    });
  });
});
