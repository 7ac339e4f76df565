// Pauses polling while a condition holds, such as selected rows.
import { useEffect } from 'react';
import { pauses } from './live.ts';

export function usePausedWhile(condition: boolean): void {
  useEffect(() => {
    if (!condition) return;
    pauses.set(pauses.get() + 1);
    return () => pauses.set(pauses.get() - 1);
  }, [condition]);
}
