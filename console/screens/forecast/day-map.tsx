// The heat map of a day with its legend.
import { HeatGrid } from '../../marks/heat-grid.tsx';
import { LEVELS } from '../../marks/scales.ts';
import { timeText } from '../../parts/time-text.ts';
import { useZone } from '../../parts/zone.tsx';
import type { Forecast } from './compute-forecast.ts';
import { levelText } from './level-text.ts';

interface DayMapProps {
  readonly forecast: Forecast;
  readonly selected: number | undefined;
  readonly onSelect: (cell: number) => void;
}

export function DayMap({ forecast, selected, onSelect }: DayMapProps) {
  const { zone } = useZone();
  const { span, counts, frequent } = forecast;
  const minutesOf = (at: number) => timeText(at, zone).time.slice(0, 5);
  const base = frequent.reduce((sum, { perCell }) => sum + perCell, 0);
  return (
    <>
      <HeatGrid
        what="forecast"
        span={span}
        counts={counts}
        base={base}
        rowText={minutesOf}
        columnText={(at) => `:${minutesOf(at).slice(3)}`}
        timeText={(at) => `${minutesOf(at)} ${timeText(at, zone).zone}`}
        selected={selected}
        onSelect={onSelect}
      />
      <Legend most={Math.max(0, ...counts)} base={base} zone={timeText(span.from, zone).zone} />
    </>
  );
}

const ALL_LEVELS = Array.from({ length: LEVELS + 1 }, (_, level) => level);

function Legend({ most, base, zone }: { most: number; base: number; zone: string }) {
  return (
    <div className="forecast-legend">
      <span>Runs:</span>
      {ALL_LEVELS.map((level) => {
        const text = levelText(level, most);
        return text === undefined ? null : (
          <span key={level} className="forecast-level">
            <svg className="mark" viewBox="0 0 12 12" aria-hidden="true">
              <rect className={`mark-level-${level}`} width="12" height="12" rx="2" />
            </svg>
            {text}
          </span>
        );
      })}
      <span>Times: {zone}</span>
      {base > 0 && (
        <span>
          Base line: about {Math.max(1, Math.round(base)).toLocaleString('en')} more in each cell by jobs that
          run more often than once a minute
        </span>
      )}
    </div>
  );
}
