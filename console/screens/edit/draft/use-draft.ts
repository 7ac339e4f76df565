// The draft of the form. The address follows it, so that a reload restores it.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import { fragmentOf, keptFields, keptIn, restored } from './draft-address.ts';
import type { JobDraft } from './job-draft.ts';

/** Browsers refuse to change the address more often than a few hundred times in half a minute. */
const ADDRESS_AFTER_MS = 250;

export type ChangeDraft = (change: (draft: JobDraft) => JobDraft) => void;

interface DraftOptions {
  /** Names the draft among those that the tab keeps: the id of the job, or `new`. */
  readonly key: string;
  /** The version of the job that is edited. */
  readonly version?: number;
}

/** Begins with the draft of the address, or else with `start`. `forget` clears the address, such as after a save. */
export function useDraft(start: JobDraft, { key, version }: DraftOptions) {
  const [draft, setDraft] = useState(() => {
    const kept = keptIn(location.hash, sessionStorage);
    return kept ? restored(start, kept) : start;
  });
  const isForgotten = useRef(false);
  const search = useSearch();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the query, such as of the zone, drops the fragment
  useEffect(() => {
    const timer = setTimeout(() => {
      if (isForgotten.current) return;
      const kept = { ...(version !== undefined && { version }), fields: keptFields(start, draft) };
      replaceFragment(fragmentOf(kept, key, sessionStorage));
    }, ADDRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [draft, start, key, version, search]);
  const change: ChangeDraft = useCallback((next) => setDraft(next), []);
  const forget = useCallback(() => {
    isForgotten.current = true;
    replaceFragment('');
  }, []);
  return { draft, change, forget };
}

/** The version that the kept draft was made from. Undefined if the address has no draft. */
export const keptVersion = (): number | undefined => keptIn(location.hash, sessionStorage)?.version;

function replaceFragment(fragment: string): void {
  if (location.hash === fragment) return;
  history.replaceState(history.state, '', location.pathname + location.search + fragment);
}
