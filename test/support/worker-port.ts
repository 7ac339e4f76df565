// A worker for tests of use cases: it has a free run slot, never drains and, unless told otherwise, claims nothing early.
import type { WorkerPort, WorkerSlots } from '../../src/scheduling/running/worker-port.ts';
import type { Tasks } from '../../src/tasks/task.ts';

const never = new AbortController().signal;

export const workerPort = (
  tasks: Tasks,
  slots: Partial<WorkerSlots> = {},
  { workerId = 'worker', draining = never, aborting = never } = {},
): WorkerPort => ({
  identity: { workerId, tasks },
  shutdown: { draining, aborting },
  slots: {
    messagesInHand: () => 1,
    markDue() {},
    reserve: () => false,
    acquire: async () => true,
    release() {},
    running: { add() {}, remove() {} },
    ...slots,
  },
});
