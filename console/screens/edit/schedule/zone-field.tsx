// The time zone of the schedule: an IANA name, or an offset that is typed.
import Autosuggest from '@cloudscape-design/components/autosuggest';
import { memo } from 'react';
import { Field } from '../form/field.tsx';

const MINE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const NAMES = ['UTC', MINE, ...Intl.supportedValuesOf('timeZone')];
const OPTIONS = [...new Set(NAMES)].map((value) => ({
  value,
  ...(value === MINE && value !== 'UTC' && { labelTag: 'mine' }),
}));

interface ZoneFieldProps {
  readonly zone: string | undefined;
  readonly error: string | undefined;
  readonly description?: string;
  /** Undefined if the field is empty: UTC. */
  readonly onChange: (zone: string | undefined) => void;
}

export const ZoneField = memo(({ zone, error, description, onChange }: ZoneFieldProps) => (
  <Field
    path="schedule.timezone"
    label="Time zone"
    error={error}
    hint={description ?? 'IANA name, or an offset such as +05:30'}
  >
    <Autosuggest
      value={zone ?? ''}
      options={OPTIONS}
      virtualScroll
      ariaLabel="Time zone"
      placeholder="UTC"
      enteredTextLabel={(text) => `Use ${text}`}
      empty="No such time zone"
      onChange={({ detail }) => onChange(detail.value === '' ? undefined : detail.value)}
    />
  </Field>
));
