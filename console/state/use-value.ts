// Follows a value in a component.
import { useSyncExternalStore } from 'react';
import type { Value } from './value.ts';

export const useValue = <T>(value: Value<T>): T => useSyncExternalStore(value.subscribe, value.get);
