// The run slots of several workers.
import type { Worker } from '../../src/client/client.ts';

/** The used and all run slots of the workers that accept executions. `all` is undefined if a worker does not report its slots. */
export function slotsOf(workers: readonly Worker[]): { readonly used: number; readonly all?: number } {
  const accepting = workers.filter(({ draining }) => !draining);
  const used = accepting.reduce((sum, { running }) => sum + running.length, 0);
  if (accepting.some(({ concurrency }) => concurrency === undefined)) return { used };
  return { used, all: accepting.reduce((sum, { concurrency = 0 }) => sum + concurrency, 0) };
}
