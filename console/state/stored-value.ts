// A value that the browser keeps, such as the theme. Without storage, as in some private windows, it lasts as long as the page.
import { createValue, type Value } from './value.ts';

export function storedValue<T extends string>(name: string, allowed: readonly T[], initial: T): Value<T> {
  const key = `punctual.${name}`;
  const value = createValue(allowed.find((one) => one === readStored(key)) ?? initial);
  value.subscribe(() => writeStored(key, value.get()));
  return value;
}

export function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function writeStored(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The storage is full or forbidden. The value lasts as long as the page.
  }
}
