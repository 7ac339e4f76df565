// The shortest lease that survives one missed heartbeat and clocks that differ by 2 s. The executions of a killed worker run
// again within 10 s. A running job costs 1 WRU every 2 s instead of every 10 s.
export const TUNED_LEASE = { PUNCTUAL_LEASE_MS: '6000', PUNCTUAL_HEARTBEAT_MS: '2000' };
