// `punctual changes`: lists the changes that people made to a job.
import type { Change } from '../../client/client.ts';
import { type Cli, defineCommand } from '../command.ts';
import { findJobId } from '../find-job.ts';
import { LIMIT_FLAGS, limitOf, pageSizeFor, printList, takeUpTo } from '../limit.ts';
import { scheduleText } from '../resource-tables.ts';
import { type Column, table } from '../table.ts';
import { timeText } from '../times.ts';

export const changes = defineCommand({
  name: 'changes',
  summary: 'list the changes of a job, newest first: who, when and what',
  usage: '<job> [--limit <n>]',
  options: LIMIT_FLAGS,
  takes: [1, 1],
  server: 'user',
  notes: ['For params and notify, only the job version that introduced them is shown, never their content.'],
  examples: [
    ['punctual changes hello', 'list the last 20 changes'],
    [
      'punctual changes hello --all --json',
      'print all changes, with the old and the new value of each field',
    ],
  ],
  async run(cli, [idOrName = ''], limits) {
    const limit = limitOf(limits);
    const client = await cli.client();
    const id = await findJobId(client, idOrName, cli.signal);
    const query = { limit: pageSizeFor(limit) };
    const recorded = await takeUpTo(client.jobs.changes(id, query, { signal: cli.signal }), limit);
    printList(cli, recorded, limit, {
      empty: 'no changes are recorded',
      lines: (items) => changeTable(items, cli),
    });
    return undefined;
  },
});

const COLUMNS: readonly Column[] = [
  { title: 'WHEN' },
  { title: 'VERSION', right: true },
  { title: 'WHAT' },
  { title: 'BY', flexible: true },
  { title: 'CHANGED', flexible: true },
  { title: 'NOTE', flexible: true },
];

const changeTable = (items: readonly Change[], cli: Cli): string[] =>
  table(
    COLUMNS,
    items.map((change) => [
      timeText(change.at, cli),
      String(change.version),
      change.what,
      change.by,
      differenceText(change),
      change.note,
    ]),
    cli.width,
  );

type Fields = NonNullable<Change['after']>;
type FieldName = keyof Fields;

function differenceText({ what, before = {}, after = {} }: Change): string {
  if (what === 'created') return scheduleText({ schedule: after.schedule });
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as FieldName[];
  return names.map((name) => `${name} ${valueText(before, name)} → ${valueText(after, name)}`).join('; ');
}

function valueText(values: Fields, name: FieldName): string {
  const value = values[name];
  if (value === undefined) return '(none)';
  if (name === 'schedule') return scheduleText({ schedule: values.schedule });
  if (name === 'params' || name === 'notify') return `of version ${values[name]?.version}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
