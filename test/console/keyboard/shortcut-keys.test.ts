import { describe, expect, it } from 'vitest';
import { completed, keysText, pressName } from '../../../console/keyboard/shortcut-keys.ts';

const press = (key: string, modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) =>
  pressName({ key, ctrlKey: false, metaKey: false, altKey: false, ...modifiers });

describe('keyboard shortcuts', () => {
  const known = new Set(['j', 'r', 'R', '?', 'g j', 'g e', 'Mod+k']);

  it('names presses, and leaves those of the browser alone', () => {
    expect(press('R')).toBe('R');
    expect(press('K', { ctrlKey: true })).toBe('Mod+k');
    expect(press('k', { metaKey: true })).toBe('Mod+k');
    expect(press('Enter', { ctrlKey: true })).toBe('Mod+Enter');
    expect(press('ArrowLeft', { ctrlKey: true })).toBeUndefined();
    expect(press('x', { altKey: true })).toBeUndefined();
  });

  it('completes a key and a sequence', () => {
    expect(completed('j', undefined, known)).toEqual({ shortcut: 'j' });
    expect(completed('g', undefined, known)).toEqual({ pending: 'g' });
    expect(completed('j', 'g', known)).toEqual({ shortcut: 'g j' });
    expect(completed('Mod+k', undefined, known)).toEqual({ shortcut: 'Mod+k' });
  });

  it('takes a key that does not continue a sequence by itself', () => {
    expect(completed('r', 'g', known)).toEqual({ shortcut: 'r' });
    expect(completed('z', 'g', known)).toEqual({});
  });

  it('distinguishes small and capital letters', () => {
    expect(completed('R', undefined, known)).toEqual({ shortcut: 'R' });
  });

  it('is written as on the keyboard of the user', () => {
    expect(keysText('Mod+k', true)).toBe('⌘ K');
    expect(keysText('Mod+k', false)).toBe('Ctrl K');
    expect(keysText('Mod+Enter', false)).toBe('Ctrl Enter');
    expect(keysText('g j', false)).toBe('g j');
  });
});
