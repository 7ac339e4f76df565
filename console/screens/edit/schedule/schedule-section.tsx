// The schedule: a tab for each kind, and the fields that several kinds share.
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { memo, useCallback, useState } from 'react';
import { useErrorAt, useHasError } from '../form/errors-context.ts';
import { Field } from '../form/field.tsx';
import { textAt } from '../form/field-errors.ts';
import { Note } from '../form/note.tsx';
import { NumericInput } from '../form/numeric-input.tsx';
import { CalendarFields } from './calendar-fields.tsx';
import { CRON_EXAMPLES, cronParts } from './cron-parts.ts';
import { DateTimeControl } from './date-time-field.tsx';
import { DstFields } from './dst-fields.tsx';
import { DurationControl } from './duration-control.tsx';
import { ExceptField } from './except-field.tsx';
import { OnceFields } from './once-fields.tsx';
import { SCHEDULE_TABS, type ScheduleDraft, type ScheduleTab, tabOf } from './schedule-draft.ts';
import { type InvalidSchedule, isInvalid, type SchedulePreview } from './schedule-preview.ts';
import { type Steps, switchTab } from './switch-tab.ts';
import { ZoneField } from './zone-field.tsx';

interface ScheduleSectionProps {
  readonly schedule: ScheduleDraft | undefined;
  readonly preview: SchedulePreview | InvalidSchedule;
  /** The zone of a new schedule. */
  readonly zone: string;
  /** An edit changes a schedule that exists, so it cannot run the job now or after a delay. */
  readonly isEdit: boolean;
  readonly onChange: (change: (schedule: ScheduleDraft | undefined) => ScheduleDraft | undefined) => void;
}

const TITLES: Record<ScheduleTab, string> = {
  now: 'Now',
  once: 'Once',
  every: 'Every',
  cron: 'Cron',
  calendar: 'Calendar',
};

/** A copy with fields set. Fields that are undefined are removed. */
const withFields = (schedule: ScheduleDraft | undefined, fields: Partial<ScheduleDraft>): ScheduleDraft =>
  Object.fromEntries(Object.entries({ ...schedule, ...fields }).filter(([, value]) => value !== undefined));

export const ScheduleSection = memo((props: ScheduleSectionProps) => {
  const { schedule, preview, zone, isEdit, onChange } = props;
  const [steps, setSteps] = useState<Steps>([]);
  const [note, setNote] = useState<string>();
  const [ofAll, ofDst] = [useErrorAt('schedule'), useErrorAt('schedule.dst', true)];
  const refused = ofAll || ofDst;
  const tab = tabOf(schedule);
  const errors = isInvalid(preview) ? preview.errors : [];
  const errorAt = (path: string): string | undefined => textAt(errors, path, false) || undefined;
  const set = useCallback(
    (fields: Partial<ScheduleDraft>) => onChange((old) => withFields(old, fields)),
    [onChange],
  );
  const setZone = useCallback((timezone: string | undefined) => set({ timezone }), [set]);
  const change = (to: ScheduleTab) => {
    const switched = switchTab(schedule, to, { now: Date.now(), zone, steps });
    setSteps([...steps, { from: schedule, to: switched.schedule }].slice(-20));
    setNote(switched.note);
    onChange(() => switched.schedule);
  };
  const zoneField = (description?: string) => (
    <ZoneField
      zone={schedule?.timezone}
      error={errorAt('schedule.timezone')}
      onChange={setZone}
      {...(description !== undefined && { description })}
    />
  );
  const contents: Record<ScheduleTab, () => React.ReactNode> = {
    now: () => (
      <Box color="text-body-secondary">The job has no schedule. It runs once, as soon as it is created.</Box>
    ),
    once: () => (
      <OnceFields
        schedule={schedule ?? {}}
        zone={zone}
        allowsDelay={!isEdit}
        errorAt={errorAt}
        onChange={(next) => onChange(() => next)}
        onZone={setZone}
      />
    ),
    every: () => (
      <Field
        path="schedule.every"
        label="Every"
        error={errorAt('schedule.every')}
        hint={`${schedule?.every ?? ''}, at least 1 second. A day is 24 hours, also when clocks change`}
      >
        <DurationControl label="Every" value={schedule?.every ?? ''} onChange={(every) => set({ every })} />
      </Field>
    ),
    cron: () => (
      <div className="edit-columns">
        <CronField
          cron={schedule?.cron ?? ''}
          error={errorAt('schedule.cron')}
          onChange={(cron) => set({ cron })}
        />
        {zoneField()}
      </div>
    ),
    calendar: () => (
      <SpaceBetween size="s">
        <CalendarFields
          calendar={schedule?.calendar ?? {}}
          errorAt={errorAt}
          onChange={(calendar) => set({ calendar })}
        />
        {zoneField()}
      </SpaceBetween>
    ),
  };
  return (
    <Container header={<Header variant="h2">Schedule</Header>}>
      <div data-field="schedule">
        <SpaceBetween size="m">
          {refused !== '' && <Note type="error">{refused}</Note>}
          <Tabs
            ariaLabel="Kind of schedule"
            activeTabId={tab}
            onChange={({ detail }) => change(detail.activeTabId as ScheduleTab)}
            tabs={SCHEDULE_TABS.filter((one) => !isEdit || one !== 'now' || tab === 'now').map((one) => ({
              id: one,
              label: TITLES[one],
              content: one === tab && (
                <SpaceBetween size="s">
                  {note !== undefined && (
                    <Alert
                      type="info"
                      dismissible
                      dismissAriaLabel="Dismiss"
                      statusIconAriaLabel="Information"
                      onDismiss={() => setNote(undefined)}
                    >
                      {note}
                    </Alert>
                  )}
                  {contents[one]()}
                </SpaceBetween>
              ),
            }))}
          />
          {(tab === 'cron' || tab === 'calendar') && (
            <DstFields
              dst={schedule?.dst}
              warnings={isInvalid(preview) ? [] : preview.warnings}
              onChange={(dst) => set({ dst })}
            />
          )}
          {tab !== 'now' && tab !== 'once' && schedule && (
            <MoreFields
              schedule={schedule}
              zoneField={tab === 'every' ? zoneField : undefined}
              errorAt={errorAt}
              onChange={set}
            />
          )}
        </SpaceBetween>
      </div>
    </Container>
  );
});

interface CronFieldProps {
  readonly cron: string;
  readonly error: string | undefined;
  readonly onChange: (cron: string) => void;
}

const CronField = ({ cron, error, onChange }: CronFieldProps) => (
  <div>
    <Field
      path="schedule.cron"
      label="Cron pattern"
      error={error}
      hint="5 fields, 6 with seconds, 7 with years; @daily; cron(…), rate(…) and at(…) of AWS"
    >
      <div className="edit-cron">
        <Input
          ariaLabel="Cron pattern"
          value={cron}
          spellcheck={false}
          autoComplete={false}
          onChange={({ detail }) => onChange(detail.value)}
        />
      </div>
    </Field>
    <div className="edit-cron-below">
      <dl className="edit-cron-parts">
        {cronParts(cron).map(({ name, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text === '' ? '–' : text}</dd>
          </div>
        ))}
      </dl>
      <ButtonDropdown
        ariaLabel="Examples of patterns"
        expandToViewport
        items={CRON_EXAMPLES.map(({ text, cron: id }) => ({ id, text, secondaryText: id }))}
        onItemClick={({ detail }) => onChange(detail.id)}
      >
        Examples
      </ButtonDropdown>
    </div>
  </div>
);

interface MoreFieldsProps {
  readonly schedule: ScheduleDraft;
  readonly zoneField: ((description: string) => React.ReactNode) | undefined;
  readonly errorAt: (path: string) => string | undefined;
  readonly onChange: (fields: Partial<ScheduleDraft>) => void;
}

const MORE = ['startAt', 'endAt', 'except', 'jitterSeconds'] as const;

function MoreFields({ schedule, zoneField, errorAt, onChange }: MoreFieldsProps) {
  const [open, setOpen] = useState(() => MORE.some((name) => schedule[name] !== undefined));
  const isRefused = useHasError(MORE.map((name) => `schedule.${name}`));
  const { startAt, endAt, except = [], jitterSeconds, timezone } = schedule;
  return (
    <ExpandableSection
      headerText="Start, end, exceptions and jitter"
      expanded={open || isRefused}
      onChange={({ detail }) => setOpen(detail.expanded)}
    >
      <SpaceBetween size="m">
        <div className="edit-columns">
          <Field
            path="schedule.startAt"
            label={schedule.every === undefined ? 'Not before' : 'Counted from'}
            optional
            error={errorAt('schedule.startAt')}
          >
            <DateTimeControl
              label="Start"
              value={startAt}
              zone={timezone}
              onChange={(text) => onChange({ startAt: text || undefined })}
            />
          </Field>
          <Field path="schedule.endAt" label="Not after" optional error={errorAt('schedule.endAt')}>
            <DateTimeControl
              label="End"
              value={endAt}
              zone={timezone}
              onChange={(text) => onChange({ endAt: text || undefined })}
            />
          </Field>
        </div>
        {zoneField?.('For local start and end times, and for exceptions')}
        <ExceptField except={except} errorAt={errorAt} onChange={(next) => onChange({ except: next })} />
        <Field
          path="schedule.jitterSeconds"
          label="Jitter in seconds"
          optional
          error={errorAt('schedule.jitterSeconds')}
          hint="Delays each start by up to this time. The delay of a run is always the same"
        >
          <NumericInput value={jitterSeconds} onChange={(value) => onChange({ jitterSeconds: value })} />
        </Field>
      </SpaceBetween>
    </ExpandableSection>
  );
}
