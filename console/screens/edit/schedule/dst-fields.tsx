// The switches for clock changes, with the warnings about those of the next year.
import Box from '@cloudscape-design/components/box';
import Select from '@cloudscape-design/components/select';
import type { Dst } from '../../../../src/domain/schedule/schedule-schema.ts';
import type { ScheduleWarning } from '../../../../src/domain/schedule/warnings.ts';
import { Field } from '../form/field.tsx';
import { Note } from '../form/note.tsx';

interface DstFieldsProps {
  readonly dst: Dst | undefined;
  readonly warnings: readonly ScheduleWarning[];
  /** Undefined if both switches have their defaults. */
  readonly onChange: (dst: Dst | undefined) => void;
}

const GAP = [
  { value: '', label: 'By the pattern (default)' },
  { value: 'skip', label: 'No run' },
  { value: 'after', label: 'Run right after the gap' },
];
const OVERLAP = [
  { value: '', label: 'By the pattern (default)' },
  { value: 'once', label: 'Run the first time only' },
  { value: 'twice', label: 'Run both times' },
];

export function DstFields({ dst, warnings, onChange }: DstFieldsProps) {
  const set = (changed: Dst) => {
    const next = Object.fromEntries(Object.entries({ ...dst, ...changed }).filter(([, value]) => value));
    onChange(Object.keys(next).length > 0 ? next : undefined);
  };
  return (
    <div className="edit-columns">
      <div>
        <Field path="schedule.dst.gap" label="When clocks skip a time">
          <Select
            selectedOption={GAP.find(({ value }) => value === (dst?.gap ?? '')) ?? null}
            options={GAP}
            onChange={({ detail }) => set({ gap: (detail.selectedOption.value || undefined) as Dst['gap'] })}
          />
        </Field>
        <Warnings warnings={warnings} kind="dstGap" none="The job is not affected in the next year." />
      </div>
      <div>
        <Field path="schedule.dst.overlap" label="When clocks show a time twice">
          <Select
            selectedOption={OVERLAP.find(({ value }) => value === (dst?.overlap ?? '')) ?? null}
            options={OVERLAP}
            onChange={({ detail }) =>
              set({ overlap: (detail.selectedOption.value || undefined) as Dst['overlap'] })
            }
          />
        </Field>
        <Warnings warnings={warnings} kind="dstOverlap" none="The job is not affected in the next year." />
      </div>
    </div>
  );
}

interface WarningsProps {
  readonly warnings: readonly ScheduleWarning[];
  readonly kind: ScheduleWarning['kind'];
  readonly none: string;
}

function Warnings({ warnings, kind, none }: WarningsProps) {
  const found = warnings.filter((warning) => warning.kind === kind);
  return (
    <div className="edit-warnings" data-warning={kind}>
      {found.length === 0 ? (
        <Box color="text-body-secondary" fontSize="body-s">
          {none}
        </Box>
      ) : (
        found.map(({ message }) => (
          <Note key={message} type="warning">
            {message}
          </Note>
        ))
      )}
    </div>
  );
}
