// The conditions of polling besides the query itself: the choice of the user, selected rows, input, and the connection.
import { storedValue } from '../state/stored-value.ts';
import { createValue } from '../state/value.ts';
import type { Connection } from './connection-after.ts';
import { IDLE_AFTER_MS, REFRESH_CHOICES, type Refresh } from './polling.ts';

export const refresh = storedValue<Refresh>('refresh', REFRESH_CHOICES, 'auto');

/** The number of reasons to pause, such as a list with selected rows. */
export const pauses = createValue(0);

export const connection = createValue<Connection>({ state: 'online', dataAt: undefined });

let lastInput = Date.now();
export const idleMs = (): number => Date.now() - lastInput;

/** Watches the input of the user. Calls back at the first input after a time without any. */
export function watchInput(returned: () => void): () => void {
  const onInput = () => {
    const wasIdle = idleMs() >= IDLE_AFTER_MS;
    lastInput = Date.now();
    if (wasIdle) returned();
  };
  const events = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
  for (const event of events) addEventListener(event, onInput, { passive: true, capture: true });
  return () => {
    for (const event of events) removeEventListener(event, onInput, { capture: true });
  };
}
