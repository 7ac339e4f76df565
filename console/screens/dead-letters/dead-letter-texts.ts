// The texts of dead letters, and the choice of those that an action is for.
export const countOfDeadLetters = (count: number, more = false): string =>
  `${count}${more ? '+' : ''} ${count === 1 && !more ? 'execution' : 'executions'}`;

/** The button for all executions of a group. `more`: the group has others that are not loaded. */
export const redriveText = (loaded: number, more: boolean): string =>
  loaded === 1 && !more ? 'Redrive it' : `Redrive all ${loaded}${more ? '+' : ''}`;

/** The maximum number of ids in one request of dismiss. */
const MAX_IN_A_REQUEST = 100;

export function chunksOf<Item>(items: readonly Item[], size = MAX_IN_A_REQUEST): Item[][] {
  const chunks: Item[][] = [];
  for (let first = 0; first < items.length; first += size) chunks.push(items.slice(first, first + size));
  return chunks;
}
