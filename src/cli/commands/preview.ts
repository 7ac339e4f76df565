// `punctual preview`: when a schedule fires, without a server.
import { InvalidInput } from '../../domain/errors.ts';
import { isoIn } from '../../domain/schedule/instant.ts';
import { type Preview, previewSchedule } from '../../domain/schedule/preview.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import { defineCommand, EXIT, UsageError } from '../command.ts';
import { numberOf, SCHEDULE_FLAGS, scheduleFields } from '../job-flags.ts';
import { table } from '../table.ts';
import { instantOf, relative } from '../times.ts';
import { tellWarnings } from '../warn.ts';

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
    'Takes a cron pattern of 5 fields, 6 (seconds first) or 7 (year last), or one of the other kinds of schedule by flag.\nWarns of local times that clocks skip or repeat, and of days that may mean something else. Exit code 1 when it never fires.',
  ],
  examples: [
    [`punctual preview '0 9 * * MON-FRI' --timezone Europe/Paris`, 'the next five'],
    [`punctual preview '30 2 * * *' --timezone America/New_York --count 20 --json`, 'for programs'],
    ['punctual preview --every 90m --start-at 2026-12-01T00:00:00Z', 'another kind'],
  ],
  async run(cli, [pattern], { count: countText = '5', after, ...values }) {
    const count = numberOf(countText, '--count');
    if (!Number.isInteger(count) || count < 1 || count > MOST) {
      throw new UsageError(
        `--count must be a whole number from 1 to ${MOST}, got ${JSON.stringify(countText)}`,
      );
    }
    if (pattern !== undefined && values.cron !== undefined) {
      throw new UsageError('the pattern is given twice: as an argument and with --cron');
    }
    const schedule = scheduleFields(pattern === undefined ? values : { ...values, cron: pattern });
    if (!schedule) {
      throw new UsageError('which schedule? Give a cron pattern in quotes, or --every, --at or --in');
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
    tellWarnings(cli, preview.warnings);
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
