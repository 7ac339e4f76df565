// How far the watcher is behind, in words.
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { type LagState, lagState, lagText } from './lag-text.ts';

const SIGNS: Readonly<Record<LagState, { type: 'success' | 'warning' | 'pending'; text: string }>> = {
  onTime: { type: 'success', text: 'on time' },
  behind: { type: 'warning', text: 'behind' },
  unknown: { type: 'pending', text: 'no watcher has come yet' },
};

/** The lag of the slowest shard. */
export function Lag({ seconds }: { seconds: number | undefined }) {
  const { type, text } = SIGNS[lagState(seconds)];
  return (
    <StatusIndicator type={type}>
      {text}
      {seconds !== undefined && `, ${lagText(seconds)}`}
    </StatusIndicator>
  );
}
