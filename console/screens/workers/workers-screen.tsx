// For operators: the workers, what runs and ended on them, and how far the watcher is.
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { cliText } from '../../parts/command-text.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RunningTable } from './running-table.tsx';
import { ShardTable } from './shard-table.tsx';
import { SystemFacts } from './system-facts.tsx';
import { Throughput } from './throughput.tsx';
import { WorkerTable } from './worker-table.tsx';
import { runningOf } from './worker-texts.ts';

export default function WorkersScreen() {
  const api = useApi();
  const workers = useLive({
    key: keys.workers,
    kind: 'list',
    read: (signal) => api.workers({ signal }),
  });
  const system = useLive({
    key: keys.system,
    kind: 'list',
    read: (signal) => api.system({ signal }),
    // A user who may not see the workers may not see the system either. One refusal is enough.
    enabled: workers.data !== undefined,
  });
  const statistics = useLive({
    key: keys.statistics('hour'),
    kind: 'statistics',
    read: (signal) => api.stats({ bucket: 'PT1M' }, { signal }),
    enabled: workers.data !== undefined,
  });
  const running = runningOf(workers.data ?? []);
  return (
    <Page
      title="Workers"
      counter={workers.data && `(${workers.data.length})`}
      description="All workers of this deployment, and the state of its scheduler."
      commands={{ request: { path: '/workers' }, cli: cliText('workers') }}
    >
      <Loaded query={workers}>
        {(list) => (
          <div className="stack">
            <Loaded query={system} lines={3}>
              {(state) => <SystemFacts system={state} workers={list} />}
            </Loaded>
            <Panel title="Workers" counter={`(${list.length})`}>
              {list.length === 0 ? (
                <Empty title="No worker is live">
                  Executions wait in the queue until a worker starts. A worker is listed after its first
                  heartbeat.
                </Empty>
              ) : (
                <WorkerTable workers={list} readAt={workers.dataUpdatedAt} />
              )}
            </Panel>
            <Panel title="Executions per minute" description="All executions that ended in the last hour.">
              <Loaded query={statistics} lines={5}>
                {(data) => <Throughput statistics={data} />}
              </Loaded>
            </Panel>
            <Panel title="Running now" counter={`(${running.length})`}>
              {running.length === 0 ? (
                <Empty title="Nothing runs">Executions appear here while they run.</Empty>
              ) : (
                <RunningTable running={running} readAt={workers.dataUpdatedAt} />
              )}
            </Panel>
            {system.data && (
              <ExpandableSection
                variant="container"
                headerText="Shards"
                headerCounter={`(${system.data.shardCount})`}
                headerDescription="Each shard has a part of the jobs. The watcher moves two cursors along the timetable of each."
              >
                <ShardTable shards={system.data.shards} />
              </ExpandableSection>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
