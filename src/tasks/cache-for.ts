// Caches the result of an asynchronous read for `ms` milliseconds. An error is not cached.
export function cacheFor<T>(
  ms: number,
  read: () => Promise<T>,
  now = () => performance.now(),
): () => Promise<T> {
  let cached: { readonly value: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (cached && now() < cached.until) return cached.value;
    const value = read();
    const entry = { value, until: now() + ms };
    cached = entry;
    value.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return value;
  };
}
