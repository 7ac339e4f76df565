// The zone of the page: the address has the choice, and the browser keeps the last one.
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { readStored, writeStored } from '../state/stored-value.ts';
import { useValue } from '../state/use-value.ts';
import { createValue } from '../state/value.ts';
import { type ZoneChoice, zoneChoiceOf, zoneOf } from './zone-choice.ts';

const KEY = 'punctual.zone';
const MINE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone of the job that the page is about. Undefined on other pages. The top bar shows it too, so it is no context. */
const zoneOfPage = createValue<string | undefined>(undefined);

/** Makes the zone of a job the default of the page. Called by pages about one job. A job without a zone is in UTC. */
export function useJobZone(zone: string | undefined): void {
  useEffect(() => {
    zoneOfPage.set(zone);
    return () => zoneOfPage.set(undefined);
  }, [zone]);
}

/** `jobZone` is the zone of the job that a time of a list belongs to. */
export function useZone(jobZone?: string): { zone: string; choice: ZoneChoice } {
  const [params] = useSearchParams();
  const ofPage = useValue(zoneOfPage);
  return zoneOf({
    choice: zoneChoiceOf(params.get('tz')) ?? zoneChoiceOf(readStored(KEY)),
    job: jobZone ?? ofPage,
    isPageOfJob: ofPage !== undefined,
    mine: MINE,
  });
}

export function useSetZone(): (choice: ZoneChoice) => void {
  const [, setParams] = useSearchParams();
  return (choice) => {
    writeStored(KEY, choice);
    setParams((params) => {
      params.set('tz', choice);
      return params;
    });
  };
}
