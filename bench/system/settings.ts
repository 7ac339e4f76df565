// The shortest lease that a missed heartbeat, and clocks that are 2 s apart, do not end: what a worker had in hand when it
// was killed runs again within 10 s. A running job costs 1 WRU every 2 s instead of every 10 s.
export const TUNED_LEASE = { PUNCTUAL_LEASE_MS: '6000', PUNCTUAL_HEARTBEAT_MS: '2000' };
