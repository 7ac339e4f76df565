// The editors whose text is not JSON. Such a job cannot be saved, because the text cannot be sent.
import { createContext, useContext, useEffect } from 'react';

export type BrokenJson = Map<string, string>;

export const BrokenJsonContext = createContext<BrokenJson>(new Map());

/** Registers the reason while it holds. */
export function useBrokenJson(id: string, reason: string | undefined): void {
  const broken = useContext(BrokenJsonContext);
  useEffect(() => {
    if (reason === undefined) return;
    broken.set(id, reason);
    return () => {
      broken.delete(id);
    };
  }, [broken, id, reason]);
}
