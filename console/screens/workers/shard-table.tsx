// The cursors of the watcher, one row per shard.
import type { System } from '../../../src/client/client.ts';
import { lagState, lagText } from '../../parts/lag-text.ts';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { ClockTime } from './clock-time.tsx';

type Shard = System['shards'][number];

const COLUMNS: readonly Column<Shard>[] = [
  { id: 'shard', title: 'Shard', width: '90px', cell: ({ shard }) => `Shard ${shard}` },
  {
    id: 'dispatchLag',
    title: 'Dispatch lag',
    width: '160px',
    cell: ({ dispatchLagSeconds }) => <LagText seconds={dispatchLagSeconds} />,
  },
  {
    id: 'dispatched',
    title: 'Sent to the queue until',
    cell: ({ dispatchedUntil }) => <ClockTime at={dispatchedUntil} />,
  },
  {
    id: 'settleLag',
    title: 'Settle lag',
    width: '160px',
    cell: ({ settleLagSeconds }) => <LagText seconds={settleLagSeconds} />,
  },
  {
    id: 'settled',
    title: 'Checked until',
    from: 'tablet',
    cell: ({ settledUntil }) => <ClockTime at={settledUntil} />,
  },
];

const LagText = ({ seconds }: { seconds: number | undefined }) => (
  <>
    {seconds === undefined ? '–' : `${lagText(seconds)} behind`}
    {lagState(seconds) === 'behind' && <strong> – too slow</strong>}
  </>
);

export const ShardTable = ({ shards }: { shards: readonly Shard[] }) => (
  <RowTable
    label="Shards"
    columns={COLUMNS}
    rows={shards}
    rowId={({ shard }) => String(shard)}
    rowName={({ shard }) => `shard ${shard}`}
  />
);
