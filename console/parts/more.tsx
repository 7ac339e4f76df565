// The end of a list: a button for the next page. A filtered page that is empty but has a cursor says so.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { Problem } from './problem.tsx';

interface MoreProps {
  readonly list: {
    readonly items: readonly unknown[];
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: unknown;
    readonly fetchNextPage: () => unknown;
  };
  /** The plural: "jobs". */
  readonly what: string;
}

export function More({ list, what }: MoreProps) {
  const { items, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = list;
  if (!hasNextPage) return null;
  return (
    <div className="more">
      {isFetchNextPageError && <Problem error={error} />}
      {items.length === 0 && (
        <Box color="text-body-secondary">
          None of the {what} that were looked at matches the filter. There are more to look at.
        </Box>
      )}
      <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {items.length === 0 ? 'Look further' : `Load more ${what}`}
      </Button>
    </div>
  );
}
