// `punctual tasks`: lists the tasks of the server.
import type { Task } from '../../client/client.ts';
import { type Cli, defineCommand, UsageError } from '../command.ts';
import { table } from '../table.ts';

const COLUMNS = [
  { title: 'TASK' },
  { title: 'PARAMS', flexible: true },
  { title: 'WHAT IT DOES', flexible: true },
];

export const tasks = defineCommand({
  name: 'tasks',
  summary: 'list the tasks that jobs can run',
  usage: '[<task>]',
  options: {},
  takes: [0, 1],
  server: 'user',
  examples: [
    ['punctual tasks', 'list all tasks with the names of their params'],
    ['punctual tasks http', 'show the JSON Schema of the params of a task'],
  ],
  async run(cli, [name]) {
    const client = await cli.client();
    const all = await client.tasks({ signal: cli.signal });
    if (name === undefined) {
      for (const line of cli.json ? [JSON.stringify(all)] : taskTable(all, cli)) cli.out(line);
      return undefined;
    }
    const task = all.find((one) => one.name === name);
    if (!task)
      throw new UsageError(
        `there is no task ${JSON.stringify(name)}; the tasks are ${all.map((one) => one.name).join(', ')}`,
      );
    cli.out(
      cli.json ? JSON.stringify(task) : `${task.description}\n\n${JSON.stringify(task.params, undefined, 2)}`,
    );
    return undefined;
  },
});

const taskTable = (all: readonly Task[], { width }: Cli): string[] =>
  table(
    COLUMNS,
    all.map(({ name, params, description }) => [
      name,
      Object.keys(Object(params.properties)).join(' '),
      description,
    ]),
    width,
  );
