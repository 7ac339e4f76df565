// The state of the deployment in one row: lag, slots, horizon, engine, version.
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import type { System, Worker } from '../../../src/client/client.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { Lag } from '../../parts/lag.tsx';
import { Panel } from '../../parts/panel.tsx';
import { slotsOf } from '../../parts/run-slots.ts';
import { ClockTime } from './clock-time.tsx';
import { Meter } from './meter.tsx';

const ENGINES = { embedded: 'Embedded: one process with SQLite', aws: 'AWS: DynamoDB and SQS' } as const;

interface SystemFactsProps {
  readonly system: System;
  readonly workers: readonly Worker[];
}

export function SystemFacts({ system, workers }: SystemFactsProps) {
  const { version, engine, horizon, lookAheadSeconds, dispatchLagSeconds, settleLagSeconds } = system;
  const { used, all } = slotsOf(workers);
  return (
    <Panel>
      <KeyValuePairs
        columns={4}
        items={[
          { label: 'Dispatch lag', value: <Lag seconds={dispatchLagSeconds} /> },
          { label: 'Settle lag', value: <Lag seconds={settleLagSeconds} /> },
          { label: 'Run slots in use', value: <Meter used={used} all={all} /> },
          { label: 'Look-ahead', value: lengthText(lookAheadSeconds * 1000) },
          { label: 'Sent to the queue until', value: <ClockTime at={horizon} /> },
          { label: 'Engine', value: ENGINES[engine] },
          { label: 'Version', value: version },
          { label: 'Shards', value: system.shardCount },
        ]}
      />
    </Panel>
  );
}
