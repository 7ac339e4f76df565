// The times that a recurring schedule leaves out: dates, ranges of dates or times, and patterns.
import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import DatePicker from '@cloudscape-design/components/date-picker';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { type Exclusion, isDate } from '../../../../src/domain/schedule/exclusions.ts';
import { Field } from '../form/field.tsx';
import { useSpokenLabel } from '../form/spoken-label.tsx';

interface ExceptFieldProps {
  readonly except: readonly Exclusion[];
  readonly errorAt: (path: string) => string | undefined;
  /** Undefined if the list is empty. */
  readonly onChange: (except: readonly Exclusion[] | undefined) => void;
}

type ExclusionKind = 'date' | 'range' | 'cron';

const KINDS: readonly { readonly value: ExclusionKind; readonly label: string }[] = [
  { value: 'date', label: 'Date' },
  { value: 'range', label: 'From – to' },
  { value: 'cron', label: 'Pattern' },
];

const NAMES: Record<ExclusionKind, string> = { date: 'date', range: 'first date or time', cron: 'pattern' };

const kindOf = (exclusion: Exclusion): ExclusionKind =>
  typeof exclusion === 'string' ? 'date' : 'cron' in exclusion ? 'cron' : 'range';

function converted(exclusion: Exclusion, to: ExclusionKind): Exclusion {
  if (kindOf(exclusion) === to) return exclusion;
  if (to === 'cron') return { cron: '* * * * SAT,SUN' };
  const date = typeof exclusion === 'string' ? exclusion : 'from' in exclusion ? exclusion.from : '';
  return to === 'date' ? (isDate(date) ? date : '') : { from: date, to: date };
}

export function ExceptField({ except, errorAt, onChange }: ExceptFieldProps) {
  const set = (next: readonly Exclusion[]) => onChange(next.length > 0 ? next : undefined);
  const replace = (index: number, exclusion: Exclusion) =>
    set(except.map((old, at) => (at === index ? exclusion : old)));
  return (
    <Field
      path="schedule.except"
      label="Except"
      optional
      deep
      stretch
      description="Days and times at which the job does not run"
      error={errorAt('schedule.except')}
    >
      <AttributeEditor
        items={except.map((exclusion) => ({ exclusion }))}
        empty={null}
        addButtonText="Add exception"
        removeButtonText="Remove"
        removeButtonAriaLabel={({ exclusion }) => `Remove exception ${JSON.stringify(exclusion)}`}
        onAddButtonClick={() => set([...except, ''])}
        onRemoveButtonClick={({ detail }) => set(except.filter((_, index) => index !== detail.itemIndex))}
        definition={[
          {
            control: ({ exclusion }, index) => (
              <Select
                ariaLabel={`Kind of exception ${index + 1}`}
                selectedOption={KINDS.find(({ value }) => value === kindOf(exclusion)) ?? null}
                options={KINDS}
                onChange={({ detail }) =>
                  replace(index, converted(exclusion, detail.selectedOption.value as ExclusionKind))
                }
              />
            ),
          },
          {
            control: ({ exclusion }, index) => (
              <ExclusionControl
                number={index + 1}
                exclusion={exclusion}
                onChange={(next) => replace(index, next)}
              />
            ),
            errorText: (_, index) =>
              ['', '.from', '.to', '.cron']
                .map((part) => errorAt(`schedule.except[${index}]${part}`))
                .find(Boolean),
          },
        ]}
      />
    </Field>
  );
}

interface ExclusionControlProps {
  readonly number: number;
  readonly exclusion: Exclusion;
  readonly onChange: (exclusion: Exclusion) => void;
}

function ExclusionControl({ number, exclusion, onChange }: ExclusionControlProps) {
  const first = useSpokenLabel(`Exception ${number}: ${NAMES[kindOf(exclusion)]}`);
  const last = useSpokenLabel(`Exception ${number}: last date or time`);
  if (typeof exclusion === 'string') {
    return (
      <>
        {first.label}
        <DatePicker
          ariaLabelledby={first.labelledby}
          value={exclusion}
          placeholder="YYYY/MM/DD"
          openCalendarAriaLabel={(date) => (date ? `Choose a date, ${date} is chosen` : 'Choose a date')}
          previousMonthAriaLabel="Previous month"
          nextMonthAriaLabel="Next month"
          todayAriaLabel="Today"
          startOfWeek={1}
          onChange={({ detail }) => onChange(detail.value)}
        />
      </>
    );
  }
  if ('cron' in exclusion) {
    return (
      <>
        {first.label}
        <Input
          ariaLabelledby={first.labelledby}
          value={exclusion.cron}
          onChange={({ detail }) => onChange({ cron: detail.value })}
        />
      </>
    );
  }
  return (
    <div className="edit-duration">
      {first.label}
      {last.label}
      <Input
        ariaLabelledby={first.labelledby}
        value={exclusion.from}
        placeholder="2026-12-24"
        onChange={({ detail }) => onChange({ ...exclusion, from: detail.value })}
      />
      <Input
        ariaLabelledby={last.labelledby}
        value={exclusion.to}
        placeholder="2026-12-31"
        onChange={({ detail }) => onChange({ ...exclusion, to: detail.value })}
      />
    </div>
  );
}
