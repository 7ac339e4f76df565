// `punctual explain`: says why a job did or did not run at a time.

import type { Explanation } from '../../client/client.ts';
import { withoutControls } from '../../domain/terminal-text.ts';
import { type Cli, defineCommand } from '../command.ts';
import { findJobId } from '../find-job.ts';
import { searchingText } from '../resource-tables.ts';
import { fields, table } from '../table.ts';
import { bothTimes, instantOf, iso, timeText } from '../times.ts';

export const explain = defineCommand({
  name: 'explain',
  summary: 'say why a job did or did not run at a time, with the evidence',
  usage: '<job> [--at <time>]',
  options: {
    at: {
      type: 'string',
      value: '<time>',
      about: '2026-12-01T10:00:00Z, now, or 2h (ago); default: the latest time at which the job was due',
    },
  },
  takes: [1, 1],
  server: 'user',
  notes: ['The occurrence nearest to the time is explained, if it is at most 60 seconds away.'],
  examples: [
    ['punctual explain hello', 'explain the latest occurrence'],
    ['punctual explain hello --at 2026-12-01T10:00:00Z', 'explain one occurrence'],
  ],
  async run(cli, [idOrName = ''], values) {
    const at = values.at === undefined ? undefined : iso(instantOf(values.at, cli.now(), '--at'));
    const client = await cli.client();
    const { signal } = cli;
    const id = await findJobId(client, idOrName, signal);
    const explanation = await client.jobs.explain(id, at === undefined ? {} : { at }, { signal });
    for (const line of cli.json ? [JSON.stringify(explanation)] : linesOf(explanation, cli)) cli.out(line);
    return undefined;
  },
});

function linesOf(
  { verdict, because, dueAt, next, searchingSince, evidence }: Explanation,
  cli: Cli,
): string[] {
  // the sentence is not cut, however narrow the terminal is
  const sentence = `${verdict}: ${withoutControls(because)}`;
  const times = fields(
    [
      ['due', bothTimes(dueAt, cli)],
      ['next', searchingText({ searchingSince }, cli) ?? bothTimes(next, cli)],
    ],
    cli.width,
  );
  const rows = evidence.map(({ what, at, href }) => [timeText(at, cli), what, href]);
  const columns = [{ title: 'WHEN' }, { title: 'EVIDENCE', flexible: true }, { title: 'READ IT AT' }];
  return [sentence, ...times, ...(rows.length === 0 ? [] : ['', ...table(columns, rows, cli.width)])];
}
