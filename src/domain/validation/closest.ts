// The known word that is closest to a mistyped one. Undefined if none is close.
export function closest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // A distance of more than half of the word is a guess.
  return best && best.distance <= Math.max(1, Math.ceil(word.length / 2)) ? best.candidate : undefined;
}

/** The Levenshtein distance. A swap of neighbours counts as one step, and so does the prefix of a word. */
function distance(a: string, b: string): number {
  if (a.length >= 2 && b.startsWith(a)) return 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + same,
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
