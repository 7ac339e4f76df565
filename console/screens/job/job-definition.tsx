// The definition of a job as JSON, as a request to create it again would have it.
import type { Job } from '../../../src/client/types.ts';
import { Panel } from '../../parts/panel.tsx';
import { Payload } from '../../parts/payload.tsx';
import { Time } from '../../parts/time.tsx';
import { definitionOf } from './job-texts.ts';

export const JobDefinition = ({ job }: { job: Job }) => (
  <Panel
    title="Definition"
    description={
      <>
        Version {job.version} of <Time at={job.updatedAt} />. The job was created <Time at={job.createdAt} />.
        Defaults are filled in.
      </>
    }
  >
    <Payload what="definition" value={definitionOf(job)} />
  </Panel>
);
