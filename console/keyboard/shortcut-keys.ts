// Keyboard shortcuts: which keys a press completes, given the presses before it.

/** The time within which the second key of `g j` must follow. */
export const SEQUENCE_MS = 1_200;

export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The name of a press: `j`, `?`, `Mod+k`, `Mod+Enter`. Undefined for keys that the browser and the system have for themselves. */
export function pressName({ key, ctrlKey, metaKey, altKey }: Press): string | undefined {
  if (altKey) return undefined;
  if (ctrlKey || metaKey) {
    if (key === 'Enter') return 'Mod+Enter';
    return key.length === 1 ? `Mod+${key.toLowerCase()}` : undefined;
  }
  return key;
}

/**
 * The shortcut that the press completes, and the first key of a sequence that the next press may complete.
 * `known` has all shortcuts, such as `j`, `Mod+k` and `g j`.
 */
export function completed(
  name: string,
  pending: string | undefined,
  known: ReadonlySet<string>,
): { readonly shortcut?: string; readonly pending?: string } {
  const sequence = pending === undefined ? undefined : `${pending} ${name}`;
  if (sequence !== undefined && known.has(sequence)) return { shortcut: sequence };
  for (const keys of known) if (keys.startsWith(`${name} `)) return { pending: name };
  return known.has(name) ? { shortcut: name } : {};
}

/** The keys as people read them: `⌘ K` on a Mac, `Ctrl K` elsewhere. */
export const keysText = (keys: string, isMac: boolean): string =>
  keys.replace(
    /^Mod\+(.)(.*)$/,
    (_, first: string, rest: string) => `${isMac ? '⌘' : 'Ctrl'} ${first.toUpperCase()}${rest}`,
  );
