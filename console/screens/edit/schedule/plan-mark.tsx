// The picture of the plan: a year by days, a week by hours, or an hour by minutes.
import { memo } from 'react';
import { CalendarMark } from '../../../marks/calendar.tsx';
import { HeatGrid } from '../../../marks/heat-grid.tsx';
import { timeText } from '../../../parts/time-text.ts';
import { type PlanPicture, zoneOf } from './plan-picture.ts';
import type { ShownPlan } from './use-plan-picture.ts';

const TITLES: Record<PlanPicture['kind'], (total: string, zone: string) => string> = {
  year: (total, zone) => `${total} in a year, by day in ${zone}`,
  week: (total, zone) => `${total} in a week, by hour in ${zone}. A year has too many to show`,
  hour: (total, zone) => `${total} in an hour, by minute in ${zone}. A week has too many to show`,
};

export const PlanMark = memo(({ schedule, picture }: ShownPlan) => {
  const zone = zoneOf(schedule);
  const total = `${picture.total.toLocaleString('en-US')} ${picture.total === 1 ? 'run' : 'runs'}`;
  return (
    <div className="edit-plan" data-plan={picture.kind}>
      <p className="edit-quiet">{TITLES[picture.kind](total, zone)}</p>
      {picture.kind === 'year' ? (
        <CalendarMark {...picture.calendar} />
      ) : (
        <GridMark picture={picture} zone={zone} />
      )}
    </div>
  );
});

function GridMark({ picture, zone }: { picture: Exclude<PlanPicture, { kind: 'year' }>; zone: string }) {
  const isWeek = picture.kind === 'week';
  const text = (at: number) => {
    const { date, time } = timeText(at, zone);
    return `${date}, ${time.slice(0, 5)}`;
  };
  return (
    <HeatGrid
      what="planned runs"
      span={picture.span}
      counts={picture.counts}
      timeText={text}
      rowText={(at) => (isWeek ? weekdayText(at, zone) : timeText(at, zone).time.slice(0, 5))}
      columnText={(at, column) => {
        if (!isWeek) return `+${column}`;
        return column % 3 === 0 ? timeText(at, zone).time.slice(0, 5) : '';
      }}
    />
  );
}

/** "Mon 23". */
export function weekdayText(at: number, zone: string): string {
  const [day = ''] = timeText(at, zone).date.split(' ');
  const { date } = timeText(at, zone);
  const weekday = new Date(`${date} UTC`).toLocaleDateString('en-US', { weekday: 'short', timeZone: 'UTC' });
  return `${weekday} ${day}`;
}
