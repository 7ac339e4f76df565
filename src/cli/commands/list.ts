// `punctual list`: one's jobs.
import type { JobStatus } from '../../client/client.ts';
import { type Cli, defineCommand, UsageError } from '../command.ts';
import { numberOf, tagOf } from '../job-flags.ts';
import { jobTable } from '../tables.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'list jobs, newest first',
  usage: '[filters]',
  options: {
    status: { type: 'string', value: '<word>', about: 'active, paused, completed, failed or cancelled' },
    task: { type: 'string', value: '<name>', about: 'of this task' },
    name: { type: 'string', value: '<prefix>', about: 'whose name begins so' },
    tag: { type: 'string', value: '<key=value>', about: 'with this tag' },
    limit: { type: 'string', value: '<n>', about: 'at most so many (default 20)' },
    all: { type: 'boolean', about: 'all of them' },
  },
  takes: [0, 0],
  server: 'user',
  examples: [
    ['punctual list', 'the newest 20'],
    ['punctual list --status active --tag team=billing', 'what runs for a team'],
    [`punctual list --all --json | jq -r '.[].id'`, 'all ids'],
  ],
  async run(cli, _args, { status, task, name, tag, limit, all }) {
    const most = all ? Number.POSITIVE_INFINITY : limitOf(limit);
    const client = await cli.client();
    const query = {
      // the server says what is allowed
      ...(status !== undefined && { status: status as JobStatus }),
      ...(task !== undefined && { task }),
      ...(name !== undefined && { name }),
      ...(tag !== undefined && { tag: tagOf(tag).join(':') }),
      limit: Math.min(100, most + 1),
    };
    const { items, more } = await take(client.jobs.list(query, { signal: cli.signal }), most);
    if (cli.json) cli.out(JSON.stringify(items));
    else if (items.length === 0) cli.err('no jobs');
    else for (const line of jobTable(items, cli)) cli.out(line);
    if (more) tellMore(cli, most);
    return undefined;
  },
});

export function limitOf(text = '20'): number {
  const limit = numberOf(text, '--limit');
  if (!Number.isInteger(limit) || limit < 1) {
    throw new UsageError(`--limit must be a whole number from 1 on, got ${JSON.stringify(text)}`);
  }
  return limit;
}

/** The first so many, and whether there are more. */
export async function take<T>(items: AsyncIterable<T>, most: number): Promise<{ items: T[]; more: boolean }> {
  const taken: T[] = [];
  for await (const item of items) {
    if (taken.length === most) return { items: taken, more: true };
    taken.push(item);
  }
  return { items: taken, more: false };
}

export const tellMore = (cli: Cli, most: number): void =>
  cli.err(`there are more than these ${most}: --limit <n> or --all shows them`);
