// Lengths of time in texts for people.

/** `12 ms`, `3.4 s`, `5 min`, `2 h`, `3 d`. */
export function lengthText(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1000) return `${Math.round(ms)} ms`;
  if (size < 10_000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (size < 90_000) return `${Math.round(ms / 1000)} s`;
  if (size < 90 * 60_000) return `${Math.round(ms / 60_000)} min`;
  if (size < 36 * 3_600_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}
