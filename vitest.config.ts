import { defineConfig } from 'vitest/config';
import { skippedSuites } from './test/support/aws-path-suites.ts';
import { ROOT, SUBPATHS } from './tools/build/package-entries.ts';

// Suites that start real processes and measure punctuality run one at a time, so that nothing else takes the processor
// from them. Those that wait for things to go wrong and be put right again, or for a server to answer, measure nothing
// and mostly wait: they run beside each other, last. The rest comes first.
const PUNCTUAL = [
  'test/local/start.test.ts',
  'test/local/start-aws.test.ts',
  'test/local/notifications.test.ts',
  'test/worker/process.test.ts',
];
const PATIENT = [
  'test/chaos/chaos.test.ts',
  'test/runtime/clock/processes.test.ts',
  'test/client/server.test.ts',
  'test/cli/server.test.ts',
  'test/cli/apply.test.ts',
  'test/cli/examples.test.ts',
  'test/examples/with-server.test.ts',
  'test/cli/launcher.test.ts',
  'test/local/backup.test.ts',
  'test/local/custom-tasks.test.ts',
  'test/local/earlier-data.test.ts',
  'test/local/secrets.test.ts',
  'test/local/scheduler-ports.test.ts',
  'test/local/engine-ports.test.ts',
  'test/local/scripts.test.ts',
  'test/local/generated-client.test.ts',
];
// `npm run test:faults`: processes on dynoxide and fauxqs are killed, frozen and cut off. They take four minutes, so `npm test`
// leaves them out.
const FAULTS = ['test/faults/**/*.test.ts', 'test/scenarios/**/*.test.ts'];
// `npm run test:floods`: minutes of load on real processes. They need both cores, so they run alone and on request.
const FLOODS = ['test/faults/flood.test.ts', 'test/faults/apply.test.ts'];
// `npm run test:mutations`: each mutation needs up to minutes of simulated seeds, so `npm test` leaves them out.
const MUTATIONS = ['test/simulation/mutations.test.ts'];

const SKIPPED = skippedSuites();

export default defineConfig({
  // Tests and examples import `punctual/…` as users do, and get the source.
  resolve: {
    alias: Object.entries({ ...SUBPATHS, '': SUBPATHS.client ?? '' }).map(([subpath, file]) => ({
      find: new RegExp(`^punctual${subpath && '/'}${subpath}$`),
      replacement: `${ROOT}/${file}`,
    })),
  },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['test/**/*.test.ts'],
          exclude: [...PUNCTUAL, ...PATIENT, ...FAULTS, ...MUTATIONS, ...SKIPPED, 'test/conformance/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: PUNCTUAL,
          exclude: [...SKIPPED],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: PATIENT,
          exclude: [...SKIPPED],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: FAULTS,
          exclude: [...FLOODS, ...SKIPPED],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          maxWorkers: 3,
          // time runs faster in these worlds: on a busy machine a lease may end although its worker lives
          retry: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'floods',
          include: FLOODS,
          exclude: [...SKIPPED],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
        },
      },
      {
        extends: true,
        test: { name: 'mutations', include: MUTATIONS, sequence: { groupOrder: 4 } },
      },
    ],
  },
});
