// The failures of the last 24 hours, in groups of the same error.
import { Link } from 'wouter';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import type { Column } from '../../parts/row-table.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Time } from '../../parts/time.tsx';
import type { Groups } from './overview-texts.ts';

type Group = Groups['items'][number];

const SHOWN = 5;

interface FailuresProps {
  readonly groups: Groups;
  /** True for operators, to whom the API shows the dead letters of all users. */
  readonly ofAllUsers: boolean;
}

export function Failures({ groups: { items, truncated, lookedAt }, ofAllUsers }: FailuresProps) {
  return (
    <Panel
      title="Failed since yesterday"
      description={
        <>
          The largest groups of dead letters{ofAllUsers && ' of all users'}, due in the last 24 hours.
          {truncated && ` Counted among the newest ${lookedAt}.`}
        </>
      }
      actions={<Link href="/dead-letters">All dead letters</Link>}
    >
      {items.length === 0 ? (
        <Empty title="Nothing failed">An execution is here if its last attempt failed.</Empty>
      ) : (
        <ShortTable
          label="Failed since yesterday"
          columns={COLUMNS}
          rows={items.slice(0, SHOWN)}
          rowId={({ key }) => key}
        />
      )}
      {items.length > SHOWN && (
        <p className="panel-note">
          <Link href="/dead-letters">{items.length - SHOWN} more groups</Link>
        </p>
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  {
    id: 'error',
    title: 'Error',
    cell: ({ key, name, message }) => (
      <Link href={`/dead-letters?error=${encodeURIComponent(key)}`} title={`${name}: ${message}`}>
        {name}: {message}
      </Link>
    ),
  },
  { id: 'count', title: 'Failed', width: '70px', cell: ({ lastDay }) => lastDay },
  {
    id: 'last',
    title: 'Last due',
    width: '198px',
    from: 'tablet',
    cell: ({ lastDueAt }) => <Time at={lastDueAt} />,
  },
];
