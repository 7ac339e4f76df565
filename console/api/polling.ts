// How often data is read again. "Live" means polling, because HTTP APIs do not stream.
export const REFRESH_CHOICES = ['auto', '2', '5', '10', '60', 'off'] as const;
/** Seconds as text, `auto` for the interval of the kind of data, or `off`. */
export type Refresh = (typeof REFRESH_CHOICES)[number];

/** `object`: what the page is about. `list`: a page of a list. `statistics`: counts over a time range. */
export type LiveKind = 'object' | 'list' | 'statistics';

const LOCAL_SECONDS = 2;
const AWS_SECONDS: Readonly<Record<LiveKind, number>> = { object: 5, list: 10, statistics: 60 };
/** The interval without input for `IDLE_AFTER_MS`. */
const IDLE_SECONDS = 60;
/** The longest interval after errors. A local server is back within seconds. */
const MAX_FAILING_SECONDS = { local: 10, aws: 60 } as const;
export const IDLE_AFTER_MS = 5 * 60_000;

export interface PollingState {
  readonly refresh: Refresh;
  readonly kind: LiveKind;
  /** True for the server of `npm start`, whose reads cost nothing. */
  readonly local: boolean;
  /** The time since the last input of the user. */
  readonly idleMs: number;
  /** True while rows are selected, so that they do not move under the pointer. */
  readonly paused: boolean;
  /** The time since the last successful read. 0 if the last read was successful. */
  readonly failingMs: number;
  /** The delay that the server asked for with the last failure. */
  readonly retryAfterMs?: number | undefined;
  /** The number of pages that one refresh reads. The interval grows with it, so the rate of requests stays. */
  readonly pages?: number;
}

/** The time until the next read. While reads fail, it grows with the time since the last success. False if there is none. */
export function pollingMs(state: PollingState): number | false {
  const { refresh, kind, local, idleMs, paused, failingMs, retryAfterMs = 0, pages = 1 } = state;
  if (refresh === 'off' || paused) return false;
  const usual = secondsOf(refresh, kind, local) * Math.max(pages, 1) * 1000;
  const idle = idleMs >= IDLE_AFTER_MS ? IDLE_SECONDS * 1000 : 0;
  const failing = Math.min(failingMs, MAX_FAILING_SECONDS[local ? 'local' : 'aws'] * 1000);
  return Math.max(usual, idle, failing, retryAfterMs);
}

function secondsOf(refresh: Exclude<Refresh, 'off'>, kind: LiveKind, local: boolean): number {
  const usual = local ? LOCAL_SECONDS : AWS_SECONDS[kind];
  if (refresh === 'auto') return usual;
  // Statistics cost more than a page of a list, so a short interval is not for them.
  return kind === 'statistics' ? Math.max(Number(refresh), usual) : Number(refresh);
}
