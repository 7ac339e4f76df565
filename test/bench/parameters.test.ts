import { expect, test } from 'vitest';
import { FIGURES } from '../../bench/model/parameters.ts';

test('the CPU of workers and watchers is what the benchmarks measured, not an estimate', () => {
  const measured = [
    'CPU of one call',
    'CPU of an execution beside its calls',
    'CPU of an entry, dispatch',
    'CPU of an entry, settle',
  ] as const;
  for (const name of measured) expect(FIGURES[name].source, name).toBe('bench/results/cpu-aws.json');
});
