// The deployment, for operators: lag of the dispatch, workers, and the load of the next minutes.
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { Link } from 'wouter';
import type { Forecast, System, Worker } from '../../../src/client/types.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { Bars } from '../../marks/bars.tsx';
import { Lag } from '../../parts/lag.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { slotsOf } from '../../parts/run-slots.ts';
import { useMinuteText } from '../../parts/use-minute-text.ts';

export function Deployment() {
  const api = useApi();
  const system = useLive({ key: keys.system, kind: 'list', read: (signal) => api.system({ signal }) });
  const workers = useLive({ key: keys.workers, kind: 'list', read: (signal) => api.workers({ signal }) });
  const forecast = useLive({
    key: keys.forecast,
    kind: 'statistics',
    read: (signal) => api.forecast({ signal }),
  });
  return (
    <div className="stack">
      <Panel
        title="Deployment"
        description="All users. For operators only."
        actions={<Link href="/workers">Workers</Link>}
      >
        <Loaded query={system} lines={2}>
          {(state) => (
            <Loaded query={workers} lines={2}>
              {(list) => <State system={state} workers={list} forecast={forecast.data} />}
            </Loaded>
          )}
        </Loaded>
      </Panel>
      <Panel
        title="Due in the next minutes"
        description="The timetable of all jobs, up to the horizon."
        actions={<Link href="/forecast">Forecast</Link>}
      >
        <Loaded query={forecast} lines={5}>
          {(data) => <Load forecast={data} />}
        </Loaded>
      </Panel>
    </div>
  );
}

interface StateProps {
  readonly system: System;
  readonly workers: readonly Worker[];
  readonly forecast: Forecast | undefined;
}

function State({ system, workers, forecast }: StateProps) {
  const { used, all } = slotsOf(workers);
  const draining = workers.filter((worker) => worker.draining).length;
  return (
    <KeyValuePairs
      columns={4}
      items={[
        { label: 'Dispatch lag', value: <Lag seconds={system.dispatchLagSeconds} /> },
        {
          label: 'Workers',
          value: (
            <StatusIndicator type={workers.length === 0 ? 'error' : 'success'}>
              {workers.length}
              {draining > 0 && `, ${draining} draining`}
            </StatusIndicator>
          ),
        },
        { label: 'Run slots', value: all === undefined ? `${used} in use` : `${used} of ${all} in use` },
        {
          label: 'Busiest second to come',
          value: forecast ? `${forecast.busiestSecond} executions` : '–',
        },
      ]}
    />
  );
}

function Load({ forecast: { items, truncated } }: { forecast: Forecast }) {
  const minuteText = useMinuteText();
  const due = items.reduce((sum, item) => sum + item.due, 0);
  return (
    <>
      <Bars
        what="due executions"
        sentence={`${due} executions are due in the next ${items.length} minutes.`}
        names={['Due']}
        timeText={minuteText}
        bars={items.map((item) => ({
          at: Date.parse(item.at),
          parts: [{ tone: 'active', count: item.due }],
        }))}
      />
      {truncated && <p className="panel-note">There are more. The later minutes are counted in part.</p>}
    </>
  );
}
