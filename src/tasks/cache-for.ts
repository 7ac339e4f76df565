// Keeps what was read for a short while: a value that seldom changes is not read for every run, and a change is noticed
// soon. A failed reading is not kept.
export function cacheFor<T>(
  ms: number,
  read: () => Promise<T>,
  now = () => performance.now(),
): () => Promise<T> {
  let kept: { readonly value: Promise<T>; readonly until: number } | undefined;
  return () => {
    if (kept && now() < kept.until) return kept.value;
    const value = read();
    const reading = { value, until: now() + ms };
    kept = reading;
    value.catch(() => {
      if (kept === reading) kept = undefined;
    });
    return value;
  };
}
