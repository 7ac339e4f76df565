// The time until or since an instant, which counts.
import { useEffect, useState } from 'react';
import { relativeText } from './relative-time-text.ts';

const TICK_MS = 1000;

interface RelativeTimeProps {
  readonly at: string;
  /** True for a time of a plan, which is read again soon after it has passed. */
  readonly planned?: boolean;
}

export function RelativeTime({ at, planned = false }: RelativeTimeProps) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <span title={at}>{relativeText(Date.parse(at), now, { planned })}</span>;
}
