// `punctual preview`: shows the next times of a schedule, without a server.
import { InvalidInput } from '../../domain/errors.ts';
import { isoIn } from '../../domain/schedule/instant.ts';
import { type Preview, previewSchedule } from '../../domain/schedule/preview.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import { defineCommand, EXIT, UsageError } from '../command.ts';
import { numberOf, SCHEDULE_FLAGS, scheduleFields } from '../job-flags.ts';
import { printWarnings } from '../print-warnings.ts';
import { table } from '../table.ts';
import { instantOf, relative } from '../times.ts';

const DEFAULT_COUNT = 5;
const MAX_COUNT = 1000;

export const preview = defineCommand({
  name: 'preview',
  summary: 'show the next times of a schedule; needs no server',
  usage: '"<cron>" [--timezone <name>] [--count <n>]',
  options: {
    ...SCHEDULE_FLAGS,
    count: {
      type: 'string',
      value: '<n>',
      about: `number of times (default ${DEFAULT_COUNT}, maximum ${MAX_COUNT})`,
    },
    after: { type: 'string', value: '<time>', about: 'show times after this one (default now)' },
  },
  takes: [0, 1],
  notes: [
    'A cron pattern has 5 fields, 6 (seconds first) or 7 (year last). The flags select the other kinds of schedule.',
    'The command warns about local times that clocks skip or repeat, and about ambiguous days.\nThe exit code is 1 if the schedule never fires.',
  ],
  examples: [
    [`punctual preview '0 9 * * MON-FRI' --timezone Europe/Paris`, 'show the next 5 times'],
    [`punctual preview '30 2 * * *' --timezone America/New_York --count 20 --json`, 'print 20 times as JSON'],
    [
      `punctual preview '0 9 * * *' --except 2026-12-25 --except '* * * * SAT,SUN'`,
      'leave out a date and weekends',
    ],
    ['punctual preview --every 90m --start-at 2026-12-01T00:00:00Z', 'preview a fixed rate'],
  ],
  async run(cli, [pattern], { count: countText = String(DEFAULT_COUNT), after, ...values }) {
    const count = numberOf(countText, '--count');
    if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) {
      throw new UsageError(
        `--count must be a whole number from 1 to ${MAX_COUNT}, got ${JSON.stringify(countText)}`,
      );
    }
    if (pattern !== undefined && values.cron !== undefined) {
      throw new UsageError('the cron pattern is given twice: as an argument and with --cron');
    }
    const schedule = scheduleFields(pattern === undefined ? values : { ...values, cron: pattern });
    if (!schedule) {
      throw new UsageError(
        'the schedule is missing: give a cron pattern in quotes, or --every, --at or --in',
      );
    }
    const now = cli.now();
    const preview = previewed(
      schedule,
      count,
      after === undefined ? undefined : instantOf(after, now, '--after'),
      now,
    );
    if (cli.json) cli.out(JSON.stringify(preview));
    else {
      cli.out(preview.description);
      const zone = schedule.timezone ?? 'UTC';
      const rows = preview.fireTimes.map((time) => [
        isoIn(zone, Date.parse(time)),
        relative(Date.parse(time), now),
      ]);
      for (const line of table([{ title: '' }, { title: '' }], rows, cli.width).slice(1)) cli.out(line);
    }
    printWarnings(cli, preview.warnings);
    return preview.fireTimes.length > 0 ? EXIT.ok : EXIT.failure;
  },
});

function previewed(schedule: ScheduleInput, count: number, after: number | undefined, now: number): Preview {
  try {
    return previewSchedule(resolveSchedule(schedule, now), { count, after, now });
  } catch (error) {
    if (error instanceof InvalidInput) throw new UsageError(error.message);
    throw error;
  }
}
