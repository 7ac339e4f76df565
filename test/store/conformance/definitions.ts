import { describe, expect, test } from 'vitest';
import { aJobId } from '../../support/fixtures.ts';
import type { Subject } from '../conformance.ts';

const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { next: deep(levels - 1) });

export function definitionsConformance(subject: Subject): void {
  describe('definitions', () => {
    test('any JSON is read as it was written', async () => {
      const store = subject();
      const params = {
        huge: 1e300,
        beyondSafe: 2 ** 60,
        fraction: 0.1,
        negativeZero: 0,
        nothing: null,
        '': 'empty key',
        empty: ['', {}, [], null],
        'dots.and#signs': '日本 🕐',
        deep: deep(60),
      };
      const definition = {
        jobId: aJobId(),
        version: 3,
        params,
        notify: [{ on: ['failed'], webhook: { url: 'x' } }],
      };
      await store.putDefinition(definition);
      expect(await store.readDefinition(definition.jobId, 3)).toStrictEqual(definition);
    });

    test('each version is stored separately, and its write is idempotent', async () => {
      const store = subject();
      const jobId = aJobId();
      const version = (n: number) => ({ jobId, version: n, params: { n }, notify: [] });
      for (const n of [1, 2, 10, 2]) await store.putDefinition(version(n));
      expect(await store.readDefinition(jobId, 1)).toStrictEqual(version(1));
      expect(await store.readDefinition(jobId, 10)).toStrictEqual(version(10));
      expect(await store.readDefinition(jobId, 3)).toBeUndefined();
    });

    test('empty params and no notifications', async () => {
      const store = subject();
      const definition = { jobId: aJobId(), version: 1, params: {}, notify: [] };
      await store.putDefinition(definition);
      expect(await store.readDefinition(definition.jobId, 1)).toStrictEqual(definition);
    });

    test('large definitions are all written by concurrent calls', async () => {
      const store = subject();
      const text = 'x'.repeat(200_000);
      const many = Array.from({ length: 30 }, () => ({
        jobId: aJobId(),
        version: 1,
        params: { text },
        notify: [],
      }));
      await Promise.all(many.map((definition) => store.putDefinition(definition)));
      const read = await store.readDefinitions(many);
      expect(new Set(read.map(({ jobId }) => jobId))).toEqual(new Set(many.map(({ jobId }) => jobId)));
    });

    test('many definitions are read, each once, without missing ones', async () => {
      const store = subject();
      const definitions = Array.from({ length: 120 }, (_, i) => ({
        jobId: aJobId(),
        version: i + 1,
        params: { i, text: 'x'.repeat(2_000) },
        notify: [],
      }));
      await Promise.all(definitions.map((definition) => store.putDefinition(definition)));
      const keys = definitions.map(({ jobId, version }) => ({ jobId, version }));
      const read = await store.readDefinitions([
        ...keys,
        { jobId: aJobId(), version: 1 },
        ...keys.slice(0, 3),
      ]);
      expect(read.sort((a, b) => a.version - b.version)).toStrictEqual(definitions);
      expect(await store.readDefinitions([])).toEqual([]);
    });
  });
}
