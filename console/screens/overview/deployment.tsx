// The deployment, for operators: lag of the dispatch, workers, executions of all users, and the load of the next minutes.

import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { Link } from 'wouter';
import type { Forecast, Statistics, System, Worker } from '../../../src/client/types.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { Bars } from '../../marks/bars.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { timeText } from '../../parts/time-text.ts';
import { useZone } from '../../parts/zone.tsx';
import { slotsOf } from './overview-texts.ts';

/** A lag of up to 60 seconds is usual between two passes of the watcher. */
const USUAL_LAG_SECONDS = 60;
/** The statistics are those of an hour. A server that has just started knows fewer minutes. */
const MINUTES = 60;

export function Deployment() {
  const api = useApi();
  const system = useLive({ key: keys.system, kind: 'list', read: (signal) => api.system({ signal }) });
  const workers = useLive({ key: keys.workers, kind: 'list', read: (signal) => api.workers({ signal }) });
  const forecast = useLive({
    key: keys.forecast,
    kind: 'statistics',
    read: (signal) => api.forecast({ signal }),
  });
  const statistics = useLive({
    key: keys.statistics('hour'),
    kind: 'statistics',
    read: (signal) => api.stats({ bucket: 'PT1M' }, { signal }),
  });
  return (
    <section className="stack" aria-label="Deployment">
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
      <div className="overview-grid">
        <Panel title="Executions per minute" description="All executions that ended in the last hour.">
          <Loaded query={statistics} lines={5}>
            {(data) => <Throughput statistics={data} />}
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
    </section>
  );
}

interface StateProps {
  readonly system: System;
  readonly workers: readonly Worker[];
  readonly forecast: Forecast | undefined;
}

function State({ system, workers, forecast }: StateProps) {
  const { used, total, draining } = slotsOf(workers);
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
        { label: 'Run slots', value: `${used} of ${total} in use` },
        {
          label: 'Busiest second to come',
          value: forecast ? `${forecast.busiestSecond} executions` : '–',
        },
      ]}
    />
  );
}

function Lag({ seconds }: { seconds: number | undefined }) {
  if (seconds === undefined) return <StatusIndicator type="pending">no watcher yet</StatusIndicator>;
  return (
    <StatusIndicator type={seconds > USUAL_LAG_SECONDS ? 'warning' : 'success'}>
      {seconds === 0 ? 'none' : lengthText(seconds * 1000)}
    </StatusIndicator>
  );
}

function Throughput({ statistics: { items } }: { statistics: Statistics }) {
  const minuteText = useMinuteText();
  const succeeded = items.reduce((sum, item) => sum + item.succeeded, 0);
  const failed = items.reduce((sum, item) => sum + item.failed, 0);
  return (
    <Bars
      what="executions per minute"
      sentence={`In the last hour, ${succeeded} executions succeeded and ${failed} failed.`}
      names={['Succeeded', 'Failed']}
      timeText={minuteText}
      slots={MINUTES}
      bars={items.map((item) => ({
        at: Date.parse(item.at),
        parts: [
          { tone: 'good', count: item.succeeded },
          { tone: 'bad', count: item.failed },
        ],
      }))}
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

/** The time of day of a minute, in the zone of the page. */
function useMinuteText(): (at: number) => string {
  const { zone } = useZone();
  return (at) => {
    const text = timeText(at, zone);
    return `${text.time.slice(0, 5)} ${text.zone}`;
  };
}
