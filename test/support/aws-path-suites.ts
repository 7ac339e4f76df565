// The suites of the AWS path. They run on dynoxide, a binary for Linux x64, and are skipped with a message without it.
import { createRequire } from 'node:module';

const PACKAGE = `@dynoxide/${process.platform}-${process.arch}`;

export const AWS_PATH_SUITES = [
  'test/api/big-lists.test.ts',
  'test/api/ingest.test.ts',
  'test/api/page-sizes.test.ts',
  'test/api/unavailable.test.ts',
  'test/runtime/clock/processes.test.ts',
  'test/faults/api.test.ts',
  'test/faults/limits.test.ts',
  'test/faults/operations.test.ts',
  'test/faults/outage.test.ts',
  'test/faults/queue.test.ts',
  'test/faults/store.test.ts',
  'test/faults/storm.test.ts',
  'test/faults/watcher.test.ts',
  'test/faults/worker-killed.test.ts',
  'test/faults/worker.test.ts',
  'test/lib/bundles.test.ts',
  'test/lib/container.test.ts',
  'test/local/engine-ports.test.ts',
  'test/local/engines.test.ts',
  'test/local/start-aws.test.ts',
  'test/notifications/engines.test.ts',
  'test/scenarios/behaviour.test.ts',
  'test/scenarios/every-second.test.ts',
  'test/scenarios/restart.test.ts',
  'test/scheduling/rebuild.test.ts',
  'test/store/definition-cache.test.ts',
  'test/store/dynamodb/cost.test.ts',
  'test/store/dynamodb/dynoxide.test.ts',
  'test/store/dynamodb/erasure.test.ts',
  'test/store/dynamodb/expiry.test.ts',
  'test/store/dynamodb/explain-cost.test.ts',
  'test/store/dynamodb/index-partitions.test.ts',
  'test/store/dynamodb/list-cost.test.ts',
  'test/store/dynamodb/lost-answers.test.ts',
  'test/store/dynamodb/statement-support.test.ts',
  'test/store/dynamodb/summary-cost.test.ts',
  'test/store/dynamodb/tables.test.ts',
  'test/worker/process.test.ts',
  'test/worker/tracing.test.ts',
];

/** Whether this machine can run the AWS path. Suites with an embedded part too skip only their tests of the AWS path. */
export const HAS_DYNOXIDE = isInstalled();

function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** The suites that are skipped on this machine because they start dynoxide. */
export function skippedSuites(): readonly string[] {
  if (HAS_DYNOXIDE) return [];
  console.warn(
    `The package ${PACKAGE} is not installed, so the suites of the AWS path do not run:\n  ${AWS_PATH_SUITES.join('\n  ')}`,
  );
  return AWS_PATH_SUITES;
}
