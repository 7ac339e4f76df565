// The calendar tab: every given field must match.
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import { monthName, weekdayName, weekdayNumber } from '../../../../src/domain/schedule/describe-fields.ts';
import { isSameValue } from '../../../../src/domain/value-changes.ts';
import { Field } from '../form/field.tsx';
import { valueOfText } from '../params/schema-field.ts';
import { type Chip, ChipSet } from './chip-set.tsx';
import { type CalendarDraft, type CalendarField, listOf, type Numeric } from './schedule-draft.ts';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const WEEKDAYS: Chip<string>[] = [1, 2, 3, 4, 5, 6, 0].map((day) => {
  const name = weekdayName(day);
  return { value: name.slice(0, 3).toUpperCase(), text: name.slice(0, 3), name };
});
const MONTHS: Chip<number>[] = range(1, 12).map((month) => ({
  value: month,
  text: monthName(month).slice(0, 3),
  name: monthName(month),
}));
const DAYS: Chip<number | string>[] = [
  ...range(1, 31).map((day) => ({ value: day, text: String(day) })),
  { value: 'L', text: 'Last', name: 'Last day of the month' },
];
const HOURS: Chip<number>[] = range(0, 23).map((hour) => ({
  value: hour,
  text: String(hour).padStart(2, '0'),
  name: `Hour ${hour}`,
}));

interface CalendarFieldsProps {
  readonly calendar: CalendarDraft;
  readonly errorAt: (path: string) => string | undefined;
  readonly onChange: (calendar: CalendarDraft) => void;
}

export function CalendarFields({ calendar, errorAt, onChange }: CalendarFieldsProps) {
  const set = (name: CalendarField, values: readonly Numeric[]) => {
    const { [name]: _, ...rest } = calendar;
    onChange(values.length === 0 ? rest : { ...rest, [name]: values });
  };
  const chips = (name: CalendarField, label: string, all: string, options: readonly Chip<Numeric>[]) => (
    <Field
      path={`schedule.calendar.${name}`}
      label={label}
      deep
      stretch
      error={errorAt(`schedule.calendar.${name}`)}
      hint={listOf(calendar[name]).length === 0 ? all : undefined}
    >
      <ChipSet
        label={label}
        chips={options}
        chosen={chosenOf(name, listOf(calendar[name]))}
        onChange={(values) => set(name, values)}
      />
    </Field>
  );
  const hasMinute = listOf(calendar.minute).length > 0;
  return (
    <div data-field="schedule.calendar">
      <SpaceBetween size="s">
        {chips('hour', 'Hours', hasMinute ? 'Every hour' : 'None chosen: 00:00', HOURS)}
        <NumbersField
          name="minute"
          label="Minutes"
          example="Such as 0, 15, 30. Empty: 0"
          value={listOf(calendar.minute)}
          error={errorAt('schedule.calendar.minute')}
          onChange={(values) => set('minute', values)}
        />
        {chips('daysOfWeek', 'Days of the week', 'Any day of the week', WEEKDAYS)}
        {chips('date', 'Days of the month', 'Any day of the month', DAYS)}
        {chips('month', 'Months', 'Every month', MONTHS)}
        <NumbersField
          name="year"
          label="Years"
          example="Such as 2026, 2027. Empty: every year"
          value={listOf(calendar.year)}
          error={errorAt('schedule.calendar.year') ?? errorAt('schedule.calendar')}
          onChange={(values) => set('year', values)}
        />
      </SpaceBetween>
    </div>
  );
}

/** A stored calendar may name a weekday as Monday, MON or 1. */
const chosenOf = (name: CalendarField, values: readonly Numeric[]): readonly Numeric[] =>
  name === 'daysOfWeek'
    ? values.map((value) => weekdayName(weekdayNumber(value)).slice(0, 3).toUpperCase())
    : values;

interface NumbersFieldProps {
  readonly name: 'minute' | 'year';
  readonly label: string;
  readonly example: string;
  readonly value: readonly Numeric[];
  readonly error: string | undefined;
  readonly onChange: (values: readonly Numeric[]) => void;
}

const numbersIn = (text: string): Numeric[] =>
  text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map((part) => valueOfText('number', part) ?? part);

/** Numbers separated by commas. */
function NumbersField({ name, label, example, value, error, onChange }: NumbersFieldProps) {
  const [text, setText] = useState(value.join(', '));
  useEffect(() => {
    setText((typed) => (isSameValue(numbersIn(typed), value) ? typed : value.join(', ')));
  }, [value]);
  return (
    <Field path={`schedule.calendar.${name}`} label={label} deep error={error} hint={example}>
      <Input
        value={text}
        inputMode="numeric"
        onChange={({ detail }) => {
          setText(detail.value);
          onChange(numbersIn(detail.value));
        }}
      />
    </Field>
  );
}
