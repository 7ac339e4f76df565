// One task: its params, and an example that begins a new job.
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import { Link, useLocation, useParams } from 'wouter';
import type { Task } from '../../../src/client/types.ts';
import { cliText } from '../../parts/command-text.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Payload } from '../../parts/payload.tsx';
import { fragmentOf } from '../edit/draft/draft-address.ts';
import { useTasks } from '../edit/use-tasks.ts';
import { exampleOf, paramRows } from './param-rows.ts';
import { ParamTable } from './param-table.tsx';

export default function TaskScreen() {
  const { name: encoded = '' } = useParams();
  const name = decoded(encoded);
  const tasks = useTasks();
  const [, navigate] = useLocation();
  const task = tasks.data?.find((one) => one.name === name);
  return (
    <Page
      title={`Task ${name}`}
      description={task?.description}
      commands={{ request: { path: '/tasks' }, cli: cliText('tasks', name) }}
      actions={
        task && (
          <Button variant="primary" onClick={() => navigate(createHref(name))}>
            Create job with this task
          </Button>
        )
      }
    >
      <Loaded query={tasks}>
        {(list) => {
          const found = list.find((one) => one.name === name);
          return found ? <Content task={found} /> : <NoTask name={name} all={list} />;
        }}
      </Loaded>
    </Page>
  );
}

/** An address that was mistyped may have a wrong code. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const createHref = (name: string): string => `/jobs/new?task=${encodeURIComponent(name)}`;

function Content({ task: { name, params } }: { task: Task }) {
  const [, navigate] = useLocation();
  const rows = paramRows(params);
  const example = exampleOf(params);
  return (
    <div className="stack">
      {example && (
        <Panel
          title="Example"
          actions={
            <Button
              onClick={() =>
                navigate(
                  `${createHref(name)}${fragmentOf({ fields: { params: example } }, 'new', sessionStorage)}`,
                )
              }
            >
              Create with this example
            </Button>
          }
        >
          <Payload what="example" value={{ task: name, params: example }} />
        </Panel>
      )}
      <Panel title="Params" {...(rows && { counter: `(${rows.length})` })}>
        {rows === undefined ? (
          <>The schema names no fields. The params are any JSON object that it allows.</>
        ) : rows.length === 0 ? (
          <>This task has no params.</>
        ) : (
          <ParamTable rows={rows} />
        )}
      </Panel>
      <ExpandableSection headerText="JSON Schema of the params">
        <Payload what="JSON Schema" value={params} />
      </ExpandableSection>
    </div>
  );
}

const NoTask = ({ name, all }: { name: string; all: readonly Task[] }) => (
  <Empty title={`This server has no task ${JSON.stringify(name)}`}>
    Its tasks are{' '}
    {all.map((task, index) => (
      <span key={task.name}>
        {index > 0 && ', '}
        <Link href={`/tasks/${encodeURIComponent(task.name)}`}>{task.name}</Link>
      </span>
    ))}
    .
  </Empty>
);
