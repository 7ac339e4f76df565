// The columns of the executions in a group.
import { Link } from 'wouter';
import type { Execution } from '../../../src/client/types.ts';
import type { Column } from '../../parts/row-table.tsx';
import { Time } from '../../parts/time.tsx';

export const executionColumns = (nameOfJob: (jobId: string) => string): Column<Execution>[] => [
  {
    id: 'due',
    title: 'Due',
    width: '220px',
    ownLine: true,
    sortBy: ({ dueAt }) => Date.parse(dueAt),
    cell: ({ id, dueAt }) => (
      <Link href={`/executions/${id}`} tabIndex={-1}>
        <Time at={dueAt} />
      </Link>
    ),
  },
  {
    id: 'attempts',
    title: 'Attempts',
    width: '92px',
    from: 'tablet',
    cell: ({ attempt, maxAttempts }) => `${attempt} of ${maxAttempts}`,
  },
  {
    id: 'error',
    title: 'Error',
    ownLine: true,
    cell: ({ error, reason }) => {
      const text = error ? `${error.name}: ${error.message}` : (reason ?? '–');
      return <span title={text}>{text}</span>;
    },
  },
  {
    id: 'job',
    title: 'Job',
    width: '220px',
    from: 'desktop',
    sortBy: ({ jobId }) => nameOfJob(jobId),
    cell: ({ jobId }) => (
      <Link href={`/jobs/${jobId}`} tabIndex={-1} title={jobId}>
        {nameOfJob(jobId)}
      </Link>
    ),
  },
];
