// The parsed pattern of a cron or calendar schedule.
import { calendarToCron } from './calendar.ts';
import { type Cron, parseCron } from './cron.ts';
import type { CalendarSchedule, CronSchedule } from './schedule-schema.ts';

export const patternOf = (schedule: CronSchedule | CalendarSchedule): Cron =>
  'cron' in schedule ? parseCron(schedule.cron) : calendarToCron(schedule.calendar);
