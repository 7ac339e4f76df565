import { defineConfig } from 'vitest/config';
import { skippedSuites } from './test/support/aws-path-suites.ts';
import { browserSuites } from './test/support/browser-suites.ts';
import { ROOT, SUBPATHS } from './tools/build/package-entries.ts';

// Suites that start real processes and measure punctuality run one at a time, so that nothing else takes the processor
// from them. Those that wait for things to go wrong and be put right again, or for a server to answer, measure nothing
// and mostly wait: they run beside each other, last. The rest comes first.
const PUNCTUAL = ['test/local/notifications.test.ts', 'test/worker/process.test.ts'];
const PATIENT = [
  'test/local/start.test.ts',
  'test/local/start-aws.test.ts',
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
  'test/local/secrets.test.ts',
  'test/local/scheduler-ports.test.ts',
  'test/local/engine-ports.test.ts',
  'test/local/scripts.test.ts',
  'test/local/generated-client.test.ts',
  'test/console/serve-local.test.ts',
];
// `npm run test:faults`: processes on dynoxide and fauxqs are killed, frozen and cut off. They take four minutes, so `npm test`
// leaves them out.
const FAULTS = ['test/faults/**/*.test.ts', 'test/scenarios/**/*.test.ts'];
// `npm run test:floods`: minutes of load on real processes. They need both cores, so they run alone and on request.
const FLOODS = ['test/faults/flood.test.ts', 'test/faults/keyed.test.ts', 'test/faults/apply.test.ts'];
// `npm run test:mutations`: each mutation needs up to minutes of simulated seeds, so `npm test` leaves them out.
const MUTATIONS = ['test/simulation/mutations.test.ts'];

// Suites that drive a real browser on a started server. Each has a server and a browser of its own. Three run at a time, because
// they mostly wait.
const BROWSER = 'test/console/browser/**';
const BROWSER_SUITES = browserSuites();
// `npm run test:walk`: every screen in three modes, and the budgets of the page. They need over a minute of both cores.
const WALK = ['test/console/browser/walk.test.ts', 'test/console/browser/budgets.test.ts'];

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
    // Node keeps compiled files there, so a process that a test starts needs half of the time to begin.
    env: { NODE_COMPILE_CACHE: `${ROOT}/node_modules/.cache/node` },
    projects: [
      {
        extends: true,
        test: {
          name: 'code',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...PUNCTUAL,
            ...PATIENT,
            ...FAULTS,
            ...MUTATIONS,
            ...SKIPPED,
            BROWSER,
            'test/conformance/**',
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // some files wait for engines and processes, so a third one uses the two cores meanwhile
          maxWorkers: 3,
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
          name: 'browser',
          include: [...BROWSER_SUITES],
          exclude: WALK,
          globalSetup: 'test/console/browser/global-setup.ts',
          testTimeout: 120_000,
          hookTimeout: 180_000,
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
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
          sequence: { groupOrder: 4 },
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
          sequence: { groupOrder: 6 },
        },
      },
      {
        extends: true,
        test: {
          name: 'walk',
          include: BROWSER_SUITES.length > 0 ? WALK : [],
          globalSetup: 'test/console/browser/global-setup.ts',
          testTimeout: 240_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          maxWorkers: 1,
          sequence: { groupOrder: 7 },
        },
      },
      {
        extends: true,
        test: { name: 'mutations', include: MUTATIONS, sequence: { groupOrder: 5 } },
      },
    ],
  },
});
