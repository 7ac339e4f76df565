// A duration as a number and a unit.
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import { useSpokenLabel } from '../form/spoken-label.tsx';
import { durationOf, partsOf, UNITS, type Unit } from './duration-parts.ts';

interface DurationControlProps {
  readonly label: string;
  /** ISO 8601, such as PT15M. */
  readonly value: string;
  readonly onChange: (text: string) => void;
}

const OPTIONS = UNITS.map((unit) => ({ value: unit, label: unit }));

export function DurationControl({ label, value, onChange }: DurationControlProps) {
  const { count, unit } = partsOf(value);
  const number = useSpokenLabel(`${label}: number`);
  const units = useSpokenLabel(`${label}: unit`);
  return (
    <div className="edit-duration">
      {number.label}
      {units.label}
      <Input
        ariaLabelledby={number.labelledby}
        value={count}
        inputMode="decimal"
        onChange={({ detail }) => onChange(durationOf({ count: detail.value, unit }))}
      />
      <Select
        ariaLabelledby={units.labelledby}
        selectedOption={OPTIONS.find((option) => option.value === unit) ?? null}
        options={OPTIONS}
        onChange={({ detail }) => onChange(durationOf({ count, unit: detail.selectedOption.value as Unit }))}
      />
    </div>
  );
}
