// The kinds of warnings about schedules.

export const SCHEDULE_WARNINGS = [
  'neverFires',
  'dstGap',
  'dstOverlap',
  'eitherDay',
  'quartzWeekday',
  'drift',
  'exceptNothing',
  'exceptAll',
] as const;

export interface ScheduleWarning {
  kind: (typeof SCHEDULE_WARNINGS)[number];
  /** The local time of the clock change or of the next run, with its offset. */
  at?: string;
  message: string;
}
