// The last report of a running task.
import ProgressBar from '@cloudscape-design/components/progress-bar';
import type { Execution } from '../../../src/client/client.ts';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';

export const Progress = ({ progress }: { progress: NonNullable<Execution['progress']> }) => (
  <Panel>
    <ProgressBar
      label="Progress"
      value={Math.round(progress.fraction * 100)}
      description={progress.text}
      additionalInfo={
        <>
          Reported <Time at={progress.at} />
        </>
      }
    />
  </Panel>
);
