// The facts of a job in one row: status, next and last run, task, tags, id.
import Badge from '@cloudscape-design/components/badge';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import { Link } from 'wouter';
import type { Job } from '../../../src/client/types.ts';
import { Id } from '../../parts/id.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { nextRunText } from './job-texts.ts';

export function JobFacts({ job }: { job: Job }) {
  const { status, nextRunAt, searchingSince, lastExecution, task, tags = {}, owner, namespace, id } = job;
  const labels = Object.entries(tags).map(([name, value]) => `${name}:${value}`);
  return (
    <Panel>
      <KeyValuePairs
        columns={4}
        items={[
          { label: 'Status', value: <Status status={status} /> },
          {
            label: 'Next run',
            value: searchingSince ? (
              <>
                searching since <Time at={searchingSince} />
              </>
            ) : nextRunAt === undefined ? (
              nextRunText(job)
            ) : (
              <Time at={nextRunAt} />
            ),
          },
          {
            label: 'Last run',
            value: lastExecution ? (
              <>
                <div>
                  <Status status={lastExecution.status} />
                </div>
                <Link href={`/executions/${lastExecution.id}`}>
                  <Time at={lastExecution.dueAt} />
                </Link>
              </>
            ) : (
              'none yet'
            ),
          },
          { label: 'Task', value: task },
          ...(owner === undefined ? [] : [{ label: 'Owner', value: owner }]),
          ...(namespace === undefined ? [] : [{ label: 'Namespace', value: namespace }]),
          ...(labels.length === 0
            ? []
            : [
                {
                  label: 'Tags',
                  value: (
                    <span className="job-tags">
                      {labels.map((label) => (
                        <Badge key={label}>{label}</Badge>
                      ))}
                    </span>
                  ),
                },
              ]),
          { label: 'Id', value: <Id id={id} what="job id" /> },
        ]}
      />
    </Panel>
  );
}
