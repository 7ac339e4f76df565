// The load of the coming day by the user's own jobs, and for operators that of the next minutes by all jobs.
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useApi } from '../../api/api.ts';
import { type JobsQuery, keys } from '../../api/keys.ts';
import { useLiveList } from '../../api/use-live.ts';
import { isOperator, useSession } from '../../auth/auth.ts';
import { cliText } from '../../parts/command-text.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { AllJobs } from './all-jobs.tsx';
import { CellPanel } from './cell-panel.tsx';
import type { Forecast } from './compute-forecast.ts';
import { DayMap } from './day-map.tsx';
import { FrequentJobs } from './frequent-jobs.tsx';
import { useForecast } from './use-forecast.ts';

/** Further pages are read on request, so that the page makes at most 4 requests, with those of the side bar. */
const FIRST_PAGES = 2;
const QUERY: JobsQuery = { status: 'active', limit: 100 };

export default function ForecastScreen() {
  const api = useApi();
  const operator = isOperator(useSession());
  const jobs = useLiveList({
    key: [...keys.jobs(QUERY), 'forecast'],
    read: (cursor, signal) => api.jobs.summaries(QUERY, { signal }).page(cursor),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, data } = jobs;
  const pages = data?.pages.length ?? 0;
  const readsMore = hasNextPage && pages > 0 && pages < FIRST_PAGES;
  useEffect(() => {
    if (readsMore && !isFetchingNextPage) void fetchNextPage();
  }, [readsMore, isFetchingNextPage, fetchNextPage]);
  const now = useNowByMinute();
  const { forecast, isComputing } = useForecast(data && !readsMore ? jobs.items : undefined, now);
  return (
    <Page
      title="Forecast"
      counter={data && `(${jobs.items.length}${hasNextPage ? '+' : ''} active jobs)`}
      description="When your active jobs run in the coming day, computed by the schedule engine of the server."
      commands={
        operator
          ? { request: { path: '/forecast' }, cli: cliText('forecast') }
          : {
              request: { path: '/jobs', query: { status: 'active', view: 'summary', limit: 100 } },
              cli: cliText('list', '--status', 'active'),
            }
      }
    >
      <div className="stack">
        <Loaded query={{ ...jobs, data: forecast }} lines={16}>
          {(found) =>
            jobs.items.length === 0 ? (
              <Empty title="You have no active jobs" action={<Link href="/jobs/new">Create a job</Link>}>
                The runs of the coming day would be here, in steps of five minutes.
              </Empty>
            ) : (
              <Day forecast={found} isComputing={isComputing} now={now} />
            )
          }
        </Loaded>
        {!readsMore && <More list={jobs} what="jobs" />}
        {operator && <AllJobs />}
      </div>
    </Page>
  );
}

interface DayProps {
  readonly forecast: Forecast;
  readonly isComputing: boolean;
  readonly now: number;
}

function Day({ forecast, isComputing, now }: DayProps) {
  const [params, setParams] = useSearchParams();
  const { span, frequent, unknown } = forecast;
  const at = Date.parse(params.get('at') ?? '');
  const index = Math.floor((at - span.from) / span.cellMs);
  const isChosen = index >= 0 && index < forecast.counts.length;
  const selected = isChosen ? index : fullestCell(forecast.counts);
  const select = (cell: number) =>
    setParams(
      (old) => {
        old.set('at', new Date(span.from + cell * span.cellMs).toISOString());
        return old;
      },
      { replace: true },
    );
  return (
    <>
      <div className="forecast">
        <Panel
          title="Runs in each five minutes"
          description={
            isComputing ? 'Computing …' : 'Choose a cell to see its jobs. The busiest one is chosen first.'
          }
        >
          <DayMap forecast={forecast} selected={selected} onSelect={select} />
        </Panel>
        <CellPanel forecast={forecast} selected={selected} now={now} />
      </div>
      {frequent.length > 0 && <FrequentJobs frequent={frequent} />}
      {unknown.length > 0 && (
        <Panel title="Jobs that are not in the forecast" counter={`(${unknown.length})`}>
          This page cannot compute their schedules:{' '}
          {unknown.map(({ id, name }, position) => (
            <span key={id}>
              {position > 0 && ', '}
              <Link href={`/jobs/${id}`}>{name ?? id}</Link>
            </span>
          ))}
        </Panel>
      )}
    </>
  );
}

/** The cell that a page without a chosen one shows: the one with the most runs. Undefined if there are no runs. */
function fullestCell(counts: readonly number[]): number | undefined {
  const most = Math.max(0, ...counts);
  return most > 0 ? counts.indexOf(most) : undefined;
}

const MINUTE_MS = 60_000;

function useNowByMinute(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
