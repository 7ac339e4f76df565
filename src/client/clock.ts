// The clock of the client: the time and a sleep that can be aborted. Tests pass their own.
export interface ClientClock {
  now(): number;
  /** Rejects with the reason of the signal if it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const wallClock: ClientClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
