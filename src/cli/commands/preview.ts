// `punctual preview`: when a schedule fires, without a server.
import { InvalidInput } from '../../domain/errors.ts';
import { describeSchedule } from '../../domain/schedule/describe.ts';
import { isoIn } from '../../domain/schedule/instant.ts';
import { occurrencesAfter } from '../../domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import type { Schedule } from '../../domain/schedule/schema.ts';
import { scheduleWarnings } from '../../domain/schedule/warnings.ts';
import { defineCommand, EXIT, UsageError } from '../command.ts';
import { numberOf, SCHEDULE_FLAGS, scheduleFields } from '../job-flags.ts';
import { table } from '../table.ts';
import { instantOf, iso, relative } from '../times.ts';

const MOST = 1000;

export const preview = defineCommand({
  name: 'preview',
  summary: 'say when a schedule fires, in words and times; works without a server',
  usage: '"<cron>" [--timezone <name>] [--count <n>]',
  options: {
    ...SCHEDULE_FLAGS,
    count: { type: 'string', value: '<n>', about: `how many times (default 5, at most ${MOST})` },
    after: { type: 'string', value: '<time>', about: 'only later ones; default now' },
  },
  takes: [0, 1],
  notes: [
    'Takes a cron pattern of 5 fields, 6 (seconds first) or 7 (year last), or one of the other kinds of schedule by flag.\nWarns of local times that clocks skip or repeat. Exit code 1 when it never fires.',
  ],
  examples: [
    [`punctual preview '0 9 * * MON-FRI' --timezone Europe/Paris`, 'the next five'],
    [`punctual preview '30 2 * * *' --timezone America/New_York --count 20 --json`, 'for programs'],
    ['punctual preview --every 90m --start-at 2026-12-01T00:00:00Z', 'another kind'],
  ],
  async run(cli, [pattern], { count: countText = '5', after: afterText = 'now', ...values }) {
    const count = numberOf(countText, '--count');
    if (!Number.isInteger(count) || count < 1 || count > MOST) {
      throw new UsageError(
        `--count must be a whole number from 1 to ${MOST}, got ${JSON.stringify(countText)}`,
      );
    }
    const now = cli.now();
    const after = instantOf(afterText, now, '--after');
    const schedule = resolved(
      scheduleFields(pattern === undefined ? values : { ...values, ...once(pattern, values.cron) }),
      now,
    );
    const warnings = scheduleWarnings(schedule, now);
    const fireTimes = firstOf(occurrencesAfter(schedule, after), count);
    const description = describeSchedule(schedule);
    if (cli.json) {
      cli.out(JSON.stringify({ fireTimes: fireTimes.map(iso), description, warnings }));
    } else {
      cli.out(description);
      const zone = ('timezone' in schedule && schedule.timezone) || 'UTC';
      const rows = fireTimes.map((at) => [isoIn(zone, at), relative(at, now)]);
      for (const line of table([{ title: '' }, { title: '' }], rows, cli.width).slice(1)) cli.out(line);
      for (const { message } of warnings) cli.err(`warning: ${message}`);
    }
    return fireTimes.length > 0 ? EXIT.ok : EXIT.failure;
  },
});

function firstOf(times: Iterable<number>, count: number): number[] {
  const first: number[] = [];
  for (const time of times) {
    first.push(time);
    if (first.length === count) break;
  }
  return first;
}

function once(pattern: string, cron: string | undefined): { cron: string } {
  if (cron !== undefined) throw new UsageError('the pattern is given twice: as an argument and with --cron');
  return { cron: pattern };
}

function resolved(input: Parameters<typeof resolveSchedule>[0], now: number): Schedule {
  if (input === undefined)
    throw new UsageError('which schedule? Give a cron pattern in quotes, or --every, --at or --in');
  try {
    return resolveSchedule(input, now);
  } catch (error) {
    if (error instanceof InvalidInput) throw new UsageError(error.message);
    throw error;
  }
}
