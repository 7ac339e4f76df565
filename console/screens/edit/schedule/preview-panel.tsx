// The preview of a schedule: in words, as times, as a picture, and beside the other jobs of the user.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { memo, useDeferredValue, useMemo, useRef } from 'react';
import { Link } from 'wouter';
import { Note } from '../form/note.tsx';
import { collisionsOf, type OtherJob } from './collisions.ts';
import { PlanMark } from './plan-mark.tsx';
import { zoneOf } from './plan-picture.ts';
import { type InvalidSchedule, isInvalid, type SchedulePreview } from './schedule-preview.ts';
import { TimesTable } from './times-table.tsx';
import { usePlanPicture } from './use-plan-picture.ts';

interface PreviewPanelProps {
  readonly preview: SchedulePreview | InvalidSchedule;
  readonly now: number;
  /** The active jobs of the user, without this one. Undefined while they are loaded. */
  readonly others: readonly OtherJob[] | undefined;
  /** Whether the user has more jobs than `others`. */
  readonly hasMore: boolean;
  readonly onJitter: ((seconds: number) => void) | undefined;
}

export const PreviewPanel = memo(({ preview, now, others, hasMore, onJitter }: PreviewPanelProps) => {
  // While a pattern is not complete, the last one stays in view, so that nothing jumps.
  const last = useRef<SchedulePreview>(undefined);
  if (!isInvalid(preview)) last.current = preview;
  const shown = isInvalid(preview) ? last.current : preview;
  const plan = usePlanPicture(shown?.schedule);
  const isRecurring = shown !== undefined && !('at' in shown.schedule);
  return (
    <Container header={<Header variant="h2">Preview</Header>}>
      <div className="edit-preview">
        <SpaceBetween size="m">
          <div aria-live="polite" className="edit-sentence" data-part="sentence">
            {isInvalid(preview) ? (
              <Note type="error">The schedule is not valid: {preview.errors[0]?.message}</Note>
            ) : (
              <Box variant="h3" padding="n">
                {preview.sentence}
              </Box>
            )}
          </div>
          {shown && (
            <div className={isInvalid(preview) ? 'edit-stale' : undefined} inert={isInvalid(preview)}>
              <SpaceBetween size="m">
                <Content preview={shown} now={now} others={others} hasMore={hasMore} onJitter={onJitter} />
                {isRecurring && (plan ? <PlanMark {...plan} /> : <div className="edit-plan-space" />)}
              </SpaceBetween>
            </div>
          )}
        </SpaceBetween>
      </div>
    </Container>
  );
});

interface ContentProps extends Omit<PreviewPanelProps, 'preview'> {
  readonly preview: SchedulePreview;
}

function Content({ preview, now, others, hasMore, onJitter }: ContentProps) {
  const { warnings, times, schedule } = preview;
  // The warnings about clock changes are beside their switches.
  const shown = warnings.filter(({ kind }) => kind !== 'dstGap' && kind !== 'dstOverlap');
  return (
    <SpaceBetween size="s">
      {shown.map(({ message }) => (
        <Note key={message} type="warning">
          {message}
        </Note>
      ))}
      {times.length > 0 && <TimesTable times={times} zone={zoneOf(schedule)} now={now} />}
      {!('at' in schedule) && others && (
        <CollisionsNote
          times={times}
          others={others}
          hasMore={hasMore}
          onJitter={'jitterSeconds' in schedule ? undefined : onJitter}
        />
      )}
    </SpaceBetween>
  );
}

interface CollisionsNoteProps {
  readonly times: readonly number[];
  readonly others: readonly OtherJob[];
  readonly hasMore: boolean;
  readonly onJitter: ((seconds: number) => void) | undefined;
}

const MAX_NAMED = 3;
const PROPOSED_JITTER_SECONDS = 60;

function CollisionsNote({ times: given, others, hasMore, onJitter }: CollisionsNoteProps) {
  const times = useDeferredValue(given);
  const { found, times: count, steady } = useMemo(() => collisionsOf(times, others), [times, others]);
  const looked = hasMore ? ` Compared with your newest ${others.length} jobs.` : '';
  if (found.length === 0) {
    return (
      <Box color="text-body-secondary" fontSize="body-s">
        None of your other jobs runs in the same minutes
        {steady > 0 ? `, except ${steady} that ${steady === 1 ? 'runs' : 'run'} every minute` : ''}.{looked}
      </Box>
    );
  }
  return (
    <div data-part="collisions">
      <Note type="info">
        {count} of the next {times.length} runs {count === 1 ? 'shares its minute' : 'share their minute'}{' '}
        with{' '}
        {found.slice(0, MAX_NAMED).map(({ job }, index) => (
          <span key={job.id}>
            {index > 0 && ', '}
            <Link href={`/jobs/${job.id}`}>{job.name ?? `${job.task} ${job.id}`}</Link>
          </span>
        ))}
        {found.length > MAX_NAMED && ` and ${found.length - MAX_NAMED} more of your jobs`}.{looked}
      </Note>
      {onJitter && (
        <Box margin={{ top: 'xxs' }}>
          <Button variant="inline-link" onClick={() => onJitter(PROPOSED_JITTER_SECONDS)}>
            Spread the starts: add a jitter of {PROPOSED_JITTER_SECONDS} seconds
          </Button>
        </Box>
      )}
    </div>
  );
}
