// Thousands that are due at the same instant would all start in one turn of the event loop, and until the last of them has
// nobody's answer is read and no request goes out: the tables would have nothing to do meanwhile.

/** Lets so many through in one turn; the others in the next ones, first come, first served. */
export function turnstile(perTurn: number): () => Promise<void> | undefined {
  const waiting: (() => void)[] = [];
  let through = 0;
  let turns = false;

  function turn(): void {
    const next = waiting.splice(0, perTurn);
    through = next.length;
    turns = next.length > 0;
    if (turns) setImmediate(turn);
    for (const go of next) go();
  }

  return () => {
    if (!turns) setImmediate(turn);
    turns = true;
    if (through === perTurn) return new Promise((resolve) => waiting.push(resolve));
    through++;
    return undefined;
  };
}
