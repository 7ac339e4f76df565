import { setTimeout as sleep } from 'node:timers/promises';

/** Polls a condition every few milliseconds. False if it is not true in time. */
export async function until(deadline: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
