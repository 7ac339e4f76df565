// The behaviour that every store of log lines has.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import {
  decodeLine,
  encodeLine,
  type LogLine,
  MAX_LINES,
  MAX_LINES_BYTES,
} from '../../../src/domain/executions/log-line.ts';
import type { LogLineStore } from '../../../src/store/log-lines.ts';
import type { ExecutionKey } from '../../../src/store/store.ts';
import { aJobId, T0 } from '../../support/fixtures.ts';

export interface OpenedLines {
  readonly lines: LogLineStore;
  close(): Promise<void>;
}

const aKey = (): ExecutionKey => ({ jobId: aJobId(), due: dueKey(T0) });
const aLine = (message: string, more: Partial<LogLine> = {}): LogLine => ({
  ...{ at: T0, level: 'info', message, attempt: 1 },
  ...more,
});

export function describeLogLines(name: string, open: () => Promise<OpenedLines>): void {
  describe(name, () => {
    let opened: OpenedLines;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const append = (key: ExecutionKey, ...lines: LogLine[]) =>
      opened.lines.appendLines(key, 'ann', lines.map(encodeLine));
    const read = async (key: ExecutionKey, after = 0, limit = 1_000) =>
      (await opened.lines.readLines(key, after, limit)).map(({ n, record }) => ({
        n,
        ...decodeLine(record),
      }));

    test('lines are read as they were written, in their order', async () => {
      const key = aKey();
      const lines = [
        aLine('one', { fields: { a: 1, nested: { b: [null, 'ß 日本 🕐', "it's"] } } }),
        aLine('', { level: 'warn', attempt: 2, at: T0 + 1 }),
        aLine('three "quoted" \u0000 \n'),
      ];
      await append(key, ...lines);
      expect(await read(key)).toEqual(lines.map((line, i) => ({ n: i + 1, ...line })));
    });

    test('numbers go on over several appends, also at once', async () => {
      const key = aKey();
      await Promise.all(Array.from({ length: 20 }, (_, i) => append(key, aLine(`${i}a`), aLine(`${i}b`))));
      const found = await read(key);
      expect(found.map(({ n }) => n)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect(found.map(({ message }) => message)).toEqual(
        Array.from({ length: 20 }, (_, i) => [`${i}a`, `${i}b`]).flat(),
      );
    });

    test('a page has the lines after a number', async () => {
      const key = aKey();
      await append(key, ...Array.from({ length: 10 }, (_, i) => aLine(String(i + 1))));
      const messages = async (after: number, limit: number) =>
        (await read(key, after, limit)).map(({ message }) => message);
      expect(await messages(0, 3)).toEqual(['1', '2', '3']);
      expect(await messages(3, 3)).toEqual(['4', '5', '6']);
      expect(await messages(9, 3)).toEqual(['10']);
      expect(await messages(10, 3)).toEqual([]);
      expect(await messages(10 ** 15, 3)).toEqual([]);
    });

    test('executions do not see the lines of others, not even of the same job', async () => {
      const [key, other] = [aKey(), aKey()];
      await append(key, aLine('own'));
      expect(await read(other)).toEqual([]);
      expect(await read({ ...key, due: dueKey(T0 + 1) })).toEqual([]);
      await append(other);
      expect(await read(other)).toEqual([]);
    });

    test('whatever is appended, the last lines within both bounds are kept, and no fewer', async () => {
      const appends = fc.array(
        fc.array(fc.record({ length: fc.oneof(fc.nat(50), fc.nat(4_500)), fields: fc.nat(3_000) }), {
          maxLength: 260,
        }),
        { minLength: 1, maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(appends, async (groups) => {
          const key = aKey();
          let count = 0;
          const all = groups.map((group) =>
            group.map(({ length, fields }) =>
              aLine(`${++count} ${'x'.repeat(length)}`, { fields: { text: 'y'.repeat(fields) } }),
            ),
          );
          for (const group of all) await append(key, ...group);
          const encoded = all.flat().map(encodeLine);
          let [kept, bytes] = [0, 0];
          while (kept < MAX_LINES && kept < encoded.length) {
            bytes += encoded.at(-1 - kept)?.bytes ?? 0;
            if (bytes > MAX_LINES_BYTES) break;
            kept++;
          }
          const found = await opened.lines.readLines(key, 0, 10_000);
          expect(found.map(({ record }) => record)).toEqual(
            encoded.slice(encoded.length - kept).map(({ record }) => record),
          );
          expect(found.map(({ n }) => n)).toEqual(
            Array.from({ length: kept }, (_, i) => encoded.length - kept + 1 + i),
          );
        }),
        { numRuns: 25 },
      );
    });
  });
}
