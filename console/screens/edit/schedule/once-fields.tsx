// The once tab: at a time, or after a delay.
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Field } from '../form/field.tsx';
import { DateTimeControl } from './date-time-field.tsx';
import { DurationControl } from './duration-control.tsx';
import type { ScheduleDraft } from './schedule-draft.ts';
import { example } from './switch-tab.ts';
import { ZoneField } from './zone-field.tsx';

interface OnceFieldsProps {
  readonly schedule: ScheduleDraft;
  /** The zone of a new time. */
  readonly zone: string;
  /** An edit cannot have a delay, because it would count from the edit. */
  readonly allowsDelay: boolean;
  readonly errorAt: (path: string) => string | undefined;
  readonly onChange: (schedule: ScheduleDraft) => void;
  readonly onZone: (zone: string | undefined) => void;
}

export function OnceFields({ schedule, zone, allowsDelay, errorAt, onChange, onZone }: OnceFieldsProps) {
  const isDelay = schedule.in !== undefined;
  return (
    <SpaceBetween size="s">
      {allowsDelay && (
        <SegmentedControl
          label="When"
          selectedId={isDelay ? 'in' : 'at'}
          options={[
            { id: 'at', text: 'At a time' },
            { id: 'in', text: 'After a delay' },
          ]}
          onChange={({ detail }) => {
            if ((detail.selectedId === 'in') === isDelay) return;
            onChange(isDelay ? example('once', zone, Date.now()) : { in: 'PT5M' });
          }}
        />
      )}
      {isDelay ? (
        <Field
          path="schedule.in"
          label="Delay"
          error={errorAt('schedule.in')}
          hint="Counted from the creation of the job"
        >
          <DurationControl
            label="Delay"
            value={schedule.in ?? ''}
            onChange={(text) => onChange({ in: text })}
          />
        </Field>
      ) : (
        <div className="edit-columns">
          <Field path="schedule.at" label="Time" error={errorAt('schedule.at')}>
            <DateTimeControl
              label="Time"
              value={schedule.at}
              zone={schedule.timezone}
              onChange={(at) => onChange({ ...schedule, at })}
            />
          </Field>
          <ZoneField zone={schedule.timezone} error={errorAt('schedule.timezone')} onChange={onZone} />
        </div>
      )}
    </SpaceBetween>
  );
}
