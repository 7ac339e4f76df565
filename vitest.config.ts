import { defineConfig } from 'vitest/config';

// Suites that start real processes and measure punctuality come last and one at a time, so that nothing else takes
// the processor from them; the rest runs beside each other.
const WITH_PROCESSES = ['test/local/**/*.test.ts', 'test/faults/**/*.test.ts', 'test/scenarios/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['test/**/*.test.ts'],
          exclude: [...WITH_PROCESSES, 'test/conformance/**'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: WITH_PROCESSES,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
