// Why a job did or did not run: one time explained with its evidence, and a range compared with the record.
import { Link, useParams, useSearchParams } from 'wouter';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { useLive } from '../../api/use-live.ts';
import { cliText } from '../../parts/command-text.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useJobZone } from '../../parts/zone.tsx';
import { AuditPanel } from './audit-panel.tsx';
import { ExplainPanel } from './explain-panel.tsx';

export default function WhyScreen() {
  const { id = '' } = useParams();
  const api = useApi();
  const [params] = useSearchParams();
  const at = params.get('at') ?? undefined;
  const job = useLive({
    key: keys.job(id),
    kind: 'list',
    read: (signal) => api.jobs.get(id, { signal }),
  });
  useJobZone(job.data && (job.data.schedule.timezone ?? 'UTC'));
  return (
    <Page
      title="Why did it run, or not?"
      description={
        <>
          Job <Link href={`/jobs/${id}`}>{job.data?.name ?? id}</Link>
        </>
      }
      commands={{
        request: { path: `/jobs/${id}/explain`, query: { at } },
        cli: cliText('explain', id, ...(at === undefined ? [] : ['--at', at])),
      }}
    >
      <Loaded query={job}>
        {(data) => (
          <div className="stack">
            <ExplainPanel job={data} at={at} />
            <AuditPanel job={data} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}
