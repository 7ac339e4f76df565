// The alert of a paused job: by which user, since when, until when, and the reason.
import Alert from '@cloudscape-design/components/alert';
import type { Job } from '../../../src/client/types.ts';
import { Time } from '../../parts/time.tsx';
import { useChanges } from './use-changes.ts';

export function PausedAlert({ job }: { job: Job }) {
  const pause = useChanges(job.id).items.find(({ what }) => what === 'paused');
  return (
    <Alert type="info" statusIconAriaLabel="Information" header="The job is paused">
      {pause ? (
        <>
          By {pause.by} since <Time at={pause.at} />
        </>
      ) : (
        <>
          Since <Time at={job.updatedAt} />
        </>
      )}
      {job.pausedUntil === undefined ? (
        ', until somebody resumes it.'
      ) : (
        <>
          , until <Time at={job.pausedUntil} />.
        </>
      )}
      {pause?.note !== undefined && <div className="problem-detail">Note: {pause.note}</div>}
    </Alert>
  );
}
