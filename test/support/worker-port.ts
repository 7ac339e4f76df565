// A worker for tests of use cases: it has a free place, never drains, and handles no message again.

import { createLog } from '../../src/runtime/log.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { KeyLines } from '../../src/scheduling/running/key-lines.ts';
import type { WorkerPlaces, WorkerPort } from '../../src/scheduling/running/worker-port.ts';
import type { Tasks } from '../../src/tasks/task.ts';
import { StandingClock } from './standing-clock.ts';

const never = new AbortController().signal;

const emptyLines = () =>
  new KeyLines({
    clock: new StandingClock(),
    random: { id: () => '', float: () => 0.5 },
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  });

export const workerPort = (
  tasks: Tasks,
  places: Partial<WorkerPlaces> = {},
  { workerId = 'worker', draining = never, aborting = never, keys = emptyLines() } = {},
): WorkerPort => ({
  identity: { workerId, tasks },
  shutdown: { draining, aborting },
  places: {
    ownedBy() {},
    markDue() {},
    acquire: async () => true,
    returnAfterMs: () => 0,
    release() {},
    turn: () => undefined,
    running: { add() {}, remove() {} },
    ...places,
  },
  keys,
  handleAgain() {},
});
