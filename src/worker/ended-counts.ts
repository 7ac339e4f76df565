// Counts the executions that this worker has ended, per minute and outcome. The heartbeat carries the counts of the last minutes,
// so that operators see the throughput of each worker at no cost.
import type { TerminalStatus } from '../domain/executions/row.ts';
import { minuteOf } from '../domain/executions/slots.ts';
import type { EndedPerMinute } from '../store/store.ts';

/** The current minute and the four before it. */
export const MINUTES_COUNTED = 5;

const OUTCOME = {
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  SKIPPED: 'skipped',
  CANCELLED: 'cancelled',
} as const satisfies Record<TerminalStatus, keyof EndedPerMinute>;

export class EndedCounts {
  /** Newest first. Minutes without an execution are left out. */
  #minutes: EndedPerMinute[] = [];

  add(status: TerminalStatus, now: number): void {
    const minute = minuteOf(now);
    const outcome = OUTCOME[status];
    const [latest, ...earlier] = this.recent(now);
    const isNow = latest?.minute === minute;
    const counts = isNow ? latest : { minute };
    const others = isNow ? earlier : latest ? [latest, ...earlier] : [];
    this.#minutes = [{ ...counts, [outcome]: (counts[outcome] ?? 0) + 1 }, ...others];
  }

  recent(now: number): EndedPerMinute[] {
    const oldest = minuteOf(now) - MINUTES_COUNTED;
    return this.#minutes.filter(({ minute }) => minute > oldest);
  }
}
