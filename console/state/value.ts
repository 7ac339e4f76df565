// A value outside of React that components follow, such as the refresh interval.
export interface Value<T> {
  get(): T;
  set(next: T): void;
  /** Calls back after each change. Returns the function that ends it. */
  subscribe(changed: () => void): () => void;
}

export function createValue<T>(initial: T): Value<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (next) => {
      if (Object.is(next, current)) return;
      current = next;
      for (const changed of [...listeners]) changed();
    },
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
