import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RATES, sizeFor, toMarkdown } from '../../tools/capacity.ts';

describe('tools/capacity.ts', () => {
  it('matches the table of docs/capacity.md', () => {
    expect(readFileSync('docs/capacity.md', 'utf8')).toContain(
      toMarkdown(RATES.map((rate) => sizeFor(rate))),
    );
  });

  it('agrees with the price of a million executions: 5 writes, 2 reads, 0.4 requests', () => {
    const { monthly } = sizeFor(1_000);
    const millions = (730 * 3600 * 1_000) / 1e6;
    expect((monthly.onDemand + monthly.sqs) / millions).toBeCloseTo(5 * 0.625 + 2 * 0.125 + 0.4 * 0.4, 6);
  });

  it('never gives a smaller size for a higher rate', () => {
    const rates = [1, 10, 100, 1_000, 5_000, 10_000, 50_000];
    for (const key of ['shards', 'watchers', 'queues', 'workers'] as const) {
      const sizes = rates.map((rate) => sizeFor(rate)[key]);
      expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    }
  });
});
