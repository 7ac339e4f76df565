// The port through which the use cases publish notifications. `src/notifications/publish-events.ts` implements it.
import type { DueKey } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Claimed } from './claiming/claim-result.ts';

export interface NotificationPublisher {
  /** Publishes that an attempt began late. Never rejects. The caller awaits it before it writes the end of the attempt. */
  started(claimed: Claimed): Promise<void>;
  /** Publishes terminal rows whose notification was lost. False if they must be published again. */
  missed(rows: readonly Row[]): Promise<boolean>;
  /** Publishes that executions have not started although they are due. */
  overdue(executions: readonly Overdue[]): Promise<void>;
}

/** An execution that settle found due and not started. */
export interface Overdue {
  readonly head: Head;
  readonly due: DueKey;
  readonly revision: string;
  /** The time at which it should have started. */
  readonly expectedAt: number;
}
