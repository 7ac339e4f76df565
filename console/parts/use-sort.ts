// The order of a list, in the address.
import { useSearchParams } from 'wouter';
import { type Sort, sortOf, sortText } from './row-window.ts';

interface SortOfList {
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort | undefined) => void;
}

export function useSort(): SortOfList {
  const [params, setParams] = useSearchParams();
  return {
    sort: sortOf(params.get('sort')),
    onSort: (next) =>
      setParams((old) => {
        if (next) old.set('sort', sortText(next));
        else old.delete('sort');
        return old;
      }),
  };
}
