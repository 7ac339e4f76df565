// A field for a number. A text that is not a number stays as it was typed, and the server refuses it with its reason.
import Input from '@cloudscape-design/components/input';
import { valueOfText } from '../params/schema-field.ts';
import type { Numeric } from '../schedule/schedule-draft.ts';

interface NumericInputProps {
  readonly value: Numeric | undefined;
  /** Undefined if the field is empty. */
  readonly onChange: (value: Numeric | undefined) => void;
  readonly ariaLabel?: string;
  readonly placeholder?: string;
}

export const NumericInput = ({ value, onChange, ariaLabel, placeholder }: NumericInputProps) => (
  <Input
    value={value === undefined ? '' : String(value)}
    inputMode="decimal"
    onChange={({ detail }) => onChange(valueOfText('number', detail.value))}
    {...(ariaLabel !== undefined && { ariaLabel })}
    {...(placeholder !== undefined && { placeholder })}
  />
);
