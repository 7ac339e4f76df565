// The tasks of the server: what jobs can do.
import Button from '@cloudscape-design/components/button';
import { Link, useLocation } from 'wouter';
import type { Task } from '../../../src/client/types.ts';
import { cliText } from '../../parts/command-text.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { useSort } from '../../parts/use-sort.ts';
import { useTasks } from '../edit/use-tasks.ts';
import { paramRows } from './param-rows.ts';

const COLUMNS: readonly Column<Task>[] = [
  {
    id: 'name',
    title: 'Task',
    width: '180px',
    sortBy: ({ name }) => name,
    cell: ({ name }) => <Link href={taskHref(name)}>{name}</Link>,
  },
  {
    id: 'create',
    title: 'Job',
    width: '110px',
    cell: ({ name }) => <CreateLink task={name} />,
  },
  {
    id: 'description',
    title: 'What it does',
    ownLine: true,
    cell: ({ description }) => <span title={description}>{description}</span>,
  },
  {
    id: 'params',
    title: 'Params',
    width: '30%',
    from: 'desktop',
    cell: ({ params }) => <ParamNames schema={params} />,
  },
];

const taskHref = (name: string): string => `/tasks/${encodeURIComponent(name)}`;

export default function TasksScreen() {
  const tasks = useTasks();
  const [, navigate] = useLocation();
  const order = useSort();
  return (
    <Page
      title="Tasks"
      counter={tasks.data && `(${tasks.data.length})`}
      description="A task is what a job does. A job is a task, its params and a schedule."
      commands={{ request: { path: '/tasks' }, cli: cliText('tasks') }}
      actions={
        <Button variant="primary" onClick={() => navigate('/jobs/new')}>
          Create job
        </Button>
      }
    >
      <Loaded query={tasks}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="This server has no tasks">
              Custom tasks are files in the folder <code>tasks</code> of the server.
            </Empty>
          ) : (
            <div className="task-list">
              <RowTable
                label="Tasks"
                columns={COLUMNS}
                rows={list}
                rowId={({ name }) => name}
                rowName={({ name }) => name}
                href={({ name }) => taskHref(name)}
                {...order}
              />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

const CreateLink = ({ task }: { task: string }) => (
  <Link href={`/jobs/new?task=${encodeURIComponent(task)}`}>
    Create job
    <span className="only-spoken"> with {task}</span>
  </Link>
);

/** Required params first, and in bold. */
function ParamNames({ schema }: { schema: unknown }) {
  const rows = paramRows(schema)?.filter(({ path }) => !path.includes('.'));
  if (!rows) return <>any JSON</>;
  if (rows.length === 0) return <>none</>;
  return (
    <code title={rows.map(({ path }) => path).join(', ')}>
      {rows.map(({ path, isRequired }, index) => (
        <span key={path} className={isRequired ? 'param-required' : undefined}>
          {index > 0 && ', '}
          {path}
        </span>
      ))}
    </code>
  );
}
