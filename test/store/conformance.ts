// The conformance suite of all stores. One test file per engine registers it.
import { afterAll, beforeAll, describe } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { changesConformance } from './conformance/changes.ts';
import { type Claiming, claimsConformance } from './conformance/claims.ts';
import { controlConformance } from './conformance/control.ts';
import { definitionsConformance } from './conformance/definitions.ts';
import { erasureConformance } from './conformance/erasure.ts';
import { executionListsConformance } from './conformance/execution-lists.ts';
import { executionsConformance } from './conformance/executions.ts';
import { failedConformance } from './conformance/failed.ts';
import { headListsConformance } from './conformance/head-lists.ts';
import { headsConformance } from './conformance/heads.ts';
import { leasesConformance } from './conformance/leases.ts';
import { locksConformance } from './conformance/locks.ts';
import { namesConformance } from './conformance/names.ts';
import { notificationWindowsConformance } from './conformance/notification-windows.ts';
import { operationsConformance } from './conformance/operations.ts';
import { quotasConformance } from './conformance/quotas.ts';
import { savedAndWaitingConformance } from './conformance/saved-and-waiting.ts';
import { seatsConformance } from './conformance/seats.ts';
import { timetableConformance } from './conformance/timetable.ts';

/** The options of the store under test. */
export const SHARDS = 4;

export interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** Returns the open store. Only valid inside tests. */
export type Subject = () => Store;

export function describeStore(name: string, claiming: Claiming, open: () => Promise<OpenStore>): void {
  describe(name, () => {
    let opened: OpenStore | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());
    const subject: Subject = () => {
      if (!opened) throw new Error('the store is not open');
      return opened.store;
    };
    headsConformance(subject);
    headListsConformance(subject);
    definitionsConformance(subject);
    locksConformance(subject);
    timetableConformance(subject);
    executionsConformance(subject);
    leasesConformance(subject);
    savedAndWaitingConformance(subject);
    claimsConformance(subject, claiming);
    executionListsConformance(subject);
    failedConformance(subject);
    controlConformance(subject);
    notificationWindowsConformance(subject);
    quotasConformance(subject);
    changesConformance(subject);
    namesConformance(subject);
    operationsConformance(subject);
    seatsConformance(subject);
    erasureConformance(subject);
  });
}
