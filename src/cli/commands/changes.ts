// `punctual changes`: what people changed in a job.
import type { Change } from '../../client/client.ts';
import { type Cli, defineCommand } from '../command.ts';
import { findJobId } from '../find.ts';
import { type Column, table } from '../table.ts';
import { scheduleText } from '../tables.ts';
import { timeText } from '../times.ts';
import { limitOf, take, tellMore } from './list.ts';

export const changes = defineCommand({
  name: 'changes',
  summary: 'show who changed a job, when and how, newest first',
  usage: '<job> [--limit <n>]',
  options: {
    limit: { type: 'string', value: '<n>', about: 'maximum number of changes (default 20)' },
    all: { type: 'boolean', about: 'all of them' },
  },
  takes: [1, 1],
  server: 'user',
  notes: ['Of params and notify it shows the version that they came with, never their content.'],
  examples: [
    ['punctual changes hello', 'the last 20 changes'],
    ['punctual changes hello --all --json', 'all of them, with both sides of each field'],
  ],
  async run(cli, [which = ''], { limit, all }) {
    const most = all ? Number.POSITIVE_INFINITY : limitOf(limit);
    const client = await cli.client();
    const id = await findJobId(client, which, cli.signal);
    const query = { limit: Math.min(100, most + 1) };
    const { items, more } = await take(client.jobs.changes(id, query, { signal: cli.signal }), most);
    if (cli.json) cli.out(JSON.stringify(items));
    else if (items.length === 0) cli.err('no changes are recorded');
    else for (const line of changeTable(items, cli)) cli.out(line);
    if (more) tellMore(cli, most);
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
type Name = keyof Fields;

function differenceText({ what, before = {}, after = {} }: Change): string {
  if (what === 'created') return scheduleText({ schedule: after.schedule });
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as Name[];
  return names.map((name) => `${name} ${valueText(before, name)} → ${valueText(after, name)}`).join('; ');
}

function valueText(side: Fields, name: Name): string {
  const value = side[name];
  if (value === undefined) return '(none)';
  if (name === 'schedule') return scheduleText({ schedule: side.schedule });
  if (name === 'params' || name === 'notify') return `of version ${side[name]?.version}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
