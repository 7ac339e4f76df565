// A date and a time of day in a zone.
import DatePicker from '@cloudscape-design/components/date-picker';
import TimeInput from '@cloudscape-design/components/time-input';
import { useSpokenLabel } from '../form/spoken-label.tsx';
import { type LocalParts, localParts, textOfParts } from './local-time.ts';

interface DateTimeControlProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly zone: string | undefined;
  /** An empty text if the user has cleared the field. */
  readonly onChange: (text: string) => void;
}

export function DateTimeControl({ label, value, zone, onChange }: DateTimeControlProps) {
  const parts = localParts(value, zone);
  const date = useSpokenLabel(`${label}: date`);
  const time = useSpokenLabel(`${label}: time`);
  const set = (changed: Partial<LocalParts>) => onChange(textOfParts({ ...parts, ...changed }, zone));
  return (
    <div className="edit-date-time">
      {date.label}
      {time.label}
      <DatePicker
        value={parts.date}
        placeholder="YYYY/MM/DD"
        ariaLabelledby={date.labelledby}
        openCalendarAriaLabel={(chosen) => (chosen ? `Choose a date, ${chosen} is chosen` : 'Choose a date')}
        previousMonthAriaLabel="Previous month"
        nextMonthAriaLabel="Next month"
        todayAriaLabel="Today"
        startOfWeek={1}
        onChange={({ detail }) => set({ date: detail.value })}
      />
      <TimeInput
        value={parts.time}
        format="hh:mm:ss"
        placeholder="hh:mm:ss"
        ariaLabelledby={time.labelledby}
        onChange={({ detail }) => set({ time: detail.value })}
      />
    </div>
  );
}
