import { setTimeout as sleep } from 'node:timers/promises';

/** Asks every few milliseconds; false when it does not come true in time. */
export async function until(deadline: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
