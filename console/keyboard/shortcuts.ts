// The keyboard shortcuts that are in effect. Screens add theirs while they are shown, and `?` lists all.
import { useEffect, useRef } from 'react';
import { createValue } from '../state/value.ts';
import { completed, pressName, SEQUENCE_MS } from './shortcut-keys.ts';

export interface Shortcut {
  readonly keys: string;
  /** Such as "Search". The help lists it. */
  readonly what: string;
  /** The heading in the help. Default: "This page". */
  readonly group?: string;
  /** True if it runs again and again while the key is held down. */
  readonly repeats?: boolean;
  /** Absent if an element handles the key itself, such as a table its arrow keys. */
  readonly run?: () => void;
}

/** In the order in which they were added. Of two with the same keys, the later one is used. */
export const shortcuts = createValue<readonly Shortcut[]>([]);

/** Adds shortcuts while the component is shown. */
export function useShortcuts(added: readonly Shortcut[]): void {
  const latest = useRef(added);
  latest.current = added;
  const signature = added.map(({ keys, what }) => `${keys}\t${what}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are read from `latest`
  useEffect(() => {
    const mine = latest.current.map((shortcut) => ({
      ...shortcut,
      ...(shortcut.run && { run: () => latest.current.find(({ keys }) => keys === shortcut.keys)?.run?.() }),
    }));
    shortcuts.set([...shortcuts.get(), ...mine]);
    return () => shortcuts.set(shortcuts.get().filter((shortcut) => !mine.includes(shortcut)));
  }, [signature]);
}

/** Listens for the shortcuts. Called once, by the shell. */
export function useShortcutListener(): void {
  useEffect(() => {
    let pending: string | undefined;
    let pendingUntil = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      const name = pressName(event);
      if (event.defaultPrevented || name === undefined || event.key === 'Shift') return;
      if (!name.startsWith('Mod+') && takesText(event.composedPath()[0] ?? null)) return;
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return;
      const runnable = new Map(
        shortcuts
          .get()
          .flatMap(({ keys, run, repeats = false }) => (run ? [[keys, { run, repeats }] as const] : [])),
      );
      const before = Date.now() < pendingUntil ? pending : undefined;
      const result = completed(name, before, new Set(runnable.keys()));
      pending = result.pending;
      pendingUntil = Date.now() + SEQUENCE_MS;
      if (result.shortcut === undefined) return;
      event.preventDefault();
      const found = runnable.get(result.shortcut);
      if (!event.repeat || found?.repeats) found?.run();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** `target` is the innermost element, also in a shadow root such as that of an editor. */
function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || ['TEXTAREA', 'SELECT'].includes(target.tagName);
}
