// The data of a query: a skeleton after 200 ms, a problem, or the data. Data that are shown stay when a later read fails.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Problem } from './problem.tsx';

/** The delay of the skeleton. Most answers come earlier, and a flash of a skeleton is worse than none. */
const SKELETON_AFTER_MS = 200;

interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  /** The number of reads that failed. */
  readonly errorUpdateCount?: number;
  readonly refetch: () => unknown;
}

interface LoadedProps<Data> {
  readonly query: Query<Data>;
  /** The number of lines of the skeleton. About the height of the data, so that nothing jumps. */
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ query, lines = 8, children }: LoadedProps<Data>) {
  const { data, error, errorUpdateCount = 0, refetch } = query;
  const last = useRef(error);
  if (error) last.current = error;
  if (data !== undefined) return <>{children(data)}</>;
  // The query forgets its error while it tries again. The problem stays until there is an answer, so that nothing flickers.
  const shown = errorUpdateCount > 0 ? last.current : error;
  if (shown) return <Problem error={shown} onRetry={() => void refetch()} />;
  return <Skeleton lines={lines} />;
}

export function Skeleton({ lines = 8 }: { lines?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={shown ? 'skeleton skeleton-shown' : 'skeleton'} role="status">
      <span className="only-spoken">{shown ? 'Loading' : ''}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <div key={line} className="skeleton-line" />
      ))}
    </div>
  );
}
