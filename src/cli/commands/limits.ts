// `punctual limits`: shows the limits of an owner, and sets some of them.
import type { Limits } from '../../client/client.ts';
import { LIMIT_NAMES, type LimitName } from '../../domain/jobs/owner-limits.ts';
import { closest } from '../../domain/validation/closest.ts';
import { type Cli, defineCommand, UsageError } from '../command.ts';
import { type Column, table } from '../table.ts';
import { timeText } from '../times.ts';

export const limits = defineCommand({
  name: 'limits',
  summary: 'show the limits of an owner, or set some of them (operators only)',
  usage: '<owner> [--set <name>=<value>]…',
  options: {
    set: {
      type: 'string',
      multiple: true,
      value: '<name=value>',
      about: 'set a limit: a number, 0 for no limit, or default for the default of the deployment',
    },
  },
  takes: [1, 1],
  server: 'operator',
  notes: [
    'The owner is the user id of the tokens (claim sub). A local server knows the user "me" unless you make other tokens.',
    `Names: ${LIMIT_NAMES.join(', ')}. Limits that --set does not name stay as they are.`,
    'A change applies everywhere within a minute.',
  ],
  examples: [
    ['punctual limits me', 'show the limits and what is used of them'],
    ['punctual limits alice --set activeJobs=500 --set createsPerMinute=60', 'set two limits'],
    ['punctual limits alice --set activeJobs=default', 'return to the default of the deployment'],
  ],
  async run(cli, [owner = ''], { set = [] }) {
    const changes = Object.fromEntries(set.map(parseChange));
    const client = await cli.client();
    let shown = await client.limits.get(owner, { signal: cli.signal });
    if (set.length > 0) {
      const own = Object.fromEntries(LIMIT_NAMES.map((name) => [name, shown.limits[name].own]));
      const changed = await client.limits.set(owner, { ...own, ...changes }, { signal: cli.signal });
      shown = { ...changed, limits: withUsage(changed.limits, shown.limits) };
    }
    if (cli.json) cli.out(JSON.stringify(shown));
    else for (const line of limitsTable(shown, cli)) cli.out(line);
    return undefined;
  },
});

function parseChange(text: string): [LimitName, number | null] {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!isLimitName(name)) {
    const meant = closest(name, LIMIT_NAMES);
    const hint = meant ? `; did you mean ${meant}?` : '';
    throw new UsageError(
      `--set must be <name>=<value> with a name of ${LIMIT_NAMES.join(', ')}, got ${JSON.stringify(text)}${hint}`,
    );
  }
  if (value === 'default') return [name, null];
  if (!/^\d{1,13}$/.test(value))
    throw new UsageError(
      `--set ${name} must have a whole number, or "default", got ${JSON.stringify(value)}`,
    );
  return [name, Number(value)];
}

const isLimitName = (name: string): name is LimitName => LIMIT_NAMES.some((known) => known === name);

/** A response to a change has no usage. */
const withUsage = (changed: Limits['limits'], before: Limits['limits']): Limits['limits'] =>
  Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, { ...before[name], ...changed[name] }]),
  ) as Limits['limits'];

const COLUMNS: readonly Column[] = [
  { title: 'LIMIT' },
  { title: 'VALUE', right: true },
  { title: 'USED', right: true },
  { title: 'DEFAULT', right: true },
  { title: 'SET BY', flexible: true },
];

function limitsTable({ limits: all, updatedAt, updatedBy }: Limits, cli: Cli): string[] {
  const number = (value: number) => (value === 0 ? 'none' : String(value));
  const rows = LIMIT_NAMES.map((name) => {
    const { value, used, own, default: standard } = all[name];
    const setBy = own === null ? '' : `${updatedBy ?? ''}, ${updatedAt ? timeText(updatedAt, cli) : ''}`;
    return [name, number(value), used === undefined ? '' : String(used), number(standard), setBy];
  });
  return table(COLUMNS, rows, cli.width);
}
