// A list that stays the same object while its items do, so that fields are not rendered again.
import { useRef } from 'react';

export function useStable<T>(list: readonly T[]): readonly T[] {
  const last = useRef(list);
  const isEqual =
    last.current.length === list.length && list.every((item, index) => item === last.current[index]);
  if (!isEqual) last.current = list;
  return last.current;
}
