// The columns of the groups of dead letters.
import { Link } from 'wouter';
import type { Answer } from '../../../src/client/types.ts';
import { Sparkline } from '../../marks/sparkline.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { Time } from '../../parts/time.tsx';
import { countOfDeadLetters } from './dead-letter-texts.ts';

export type Group = Answer<'groupDeadLetters'>['items'][number];

const COUNT: Column<Group> = {
  id: 'count',
  title: 'Count',
  width: '80px',
  sortBy: ({ count }) => count,
  cell: ({ count }) => (
    <>
      {count}
      <span className="only-phone"> failed</span>
    </>
  ),
};

const JOBS: Column<Group> = {
  id: 'jobs',
  title: 'Jobs',
  width: '70px',
  from: 'desktop',
  sortBy: ({ jobs }) => jobs,
  cell: ({ jobs }) => jobs,
};

const OTHERS: readonly Column<Group>[] = [
  {
    id: 'when',
    title: 'When',
    width: '128px',
    from: 'tablet',
    cell: ({ buckets, count, firstDueAt, lastDueAt }) => (
      <Sparkline
        counts={buckets}
        label={`${countOfDeadLetters(count)} failed between ${firstDueAt} and ${lastDueAt}`}
      />
    ),
  },
  {
    id: 'last',
    title: 'Last due',
    width: '206px',
    sortBy: ({ lastDueAt }) => Date.parse(lastDueAt),
    cell: ({ lastDueAt }) => <Time at={lastDueAt} />,
  },
  {
    id: 'sample',
    title: 'Newest',
    width: '90px',
    from: 'desktop',
    cell: ({ sample }) => (
      <Link href={`/executions/${sample}`} tabIndex={-1}>
        Open
      </Link>
    ),
  },
];

export const errorText = ({ name, message }: Group): string => `${name}: ${message}`;

const LAST_ERROR: Column<Group> = {
  id: 'error',
  title: 'Last error',
  cell: (group) => <span title={errorText(group)}>{errorText(group)}</span>,
};

interface GroupColumns {
  readonly by: 'error' | 'job';
  /** The page of a group, below `/console`. */
  readonly hrefOf: (group: Group) => string;
  readonly nameOfJob: (jobId: string) => string;
}

/** The first column leads to the group. */
export const groupColumns = ({ by, hrefOf, nameOfJob }: GroupColumns): Column<Group>[] =>
  by === 'error'
    ? [
        {
          id: 'error',
          title: 'Error',
          ownLine: true,
          sortBy: errorText,
          cell: (group) => (
            <Link href={hrefOf(group)} tabIndex={-1} title={errorText(group)}>
              {errorText(group)}
            </Link>
          ),
        },
        COUNT,
        JOBS,
        ...OTHERS,
      ]
    : [
        {
          id: 'job',
          title: 'Job',
          width: '230px',
          sortBy: ({ key }) => nameOfJob(key),
          cell: (group) => (
            <Link href={hrefOf(group)} tabIndex={-1} title={group.key}>
              {nameOfJob(group.key)}
            </Link>
          ),
        },
        COUNT,
        LAST_ERROR,
        ...OTHERS,
      ];
