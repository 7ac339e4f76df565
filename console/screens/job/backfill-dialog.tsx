// Backfills a range of time. The dialog says how many executions it adds, and the tray shows the progress.
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Execution, Job } from '../../../src/client/types.ts';
import { DAY } from '../../../src/domain/schedule/duration.ts';
import { isoIn, isoUtc } from '../../../src/domain/schedule/instant.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useZone } from '../../parts/zone.tsx';
import { startOperation } from '../../tray/tray.ts';
import { DateTimeControl } from '../edit/schedule/date-time-field.tsx';
import { duesOf, MAX_BACKFILLED, missingCount } from './backfill-count.ts';
import { instantOfField } from './instant-of-field.ts';

export function BackfillDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const api = useApi();
  const queryClient = useQueryClient();
  const { zone } = useZone();
  const [now] = useState(Date.now);
  const [from, setFrom] = useState(() => isoIn(zone, now - DAY).slice(0, 19));
  const [to, setTo] = useState(() => isoIn(zone, now).slice(0, 19));
  const [start, end] = [instantOfField(from, zone), instantOfField(to, zone)];
  const range = rangeOf(start.at, end.at);
  const refusal = rangeError(range, now);
  const [first, last] = [range?.from, range?.to];
  const dues = useMemo(() => {
    const isValid = first !== undefined && last !== undefined && refusal === undefined;
    return isValid ? duesOf(job.schedule as Schedule, { from: first, to: last }) : [];
  }, [job.schedule, first, last, refusal]);
  const tooMany = dues.length > MAX_BACKFILLED;
  const existing = useQuery({
    queryKey: ['backfill', job.id, range],
    queryFn: async ({ signal }) => {
      const found: Execution[] = [];
      if (!range) return found;
      const query = { from: isoUtc(range.from), to: isoUtc(range.to), limit: 100 };
      for await (const execution of api.executions.ofJob(job.id, query, { signal })) found.push(execution);
      return found;
    },
    enabled: dues.length > 0 && !tooMany,
    gcTime: 0,
  });
  const count = dues.length === 0 ? 0 : existing.data && missingCount(dues, existing.data);
  const begin = () => {
    if (!range) return;
    onClose();
    void startOperation({
      title: `Backfill ${job.name ?? job.id}`,
      api,
      begin: async () =>
        (await api.jobs.backfill(job.id, { from: isoUtc(range.from), to: isoUtc(range.to) })).operation,
      itemHref: (id) => `/executions/${id}`,
      after: () => void queryClient.invalidateQueries({ queryKey: keys.ofJob(job.id) }),
    });
  };
  return (
    <Dialog
      title={`Backfill ${job.name ?? job.id}`}
      confirmText={count ? `Run ${count} ${count === 1 ? 'occurrence' : 'occurrences'}` : 'Run occurrences'}
      disabled={!count || tooMany || refusal !== undefined}
      error={existing.error}
      onConfirm={begin}
      onDismiss={onClose}
    >
      <Box>
        Occurrences of the range that have no execution run now. Their due time is that of the schedule.
      </Box>
      <FormField label="From" description={`The first due time, in ${zone}.`} errorText={start.error}>
        <DateTimeControl label="From" value={from} zone={zone} onChange={setFrom} />
      </FormField>
      <FormField
        label="To"
        description={`Due before this time, in ${zone}.`}
        errorText={end.error ?? refusal}
      >
        <DateTimeControl label="To" value={to} zone={zone} onChange={setTo} />
      </FormField>
      <div role="status">
        <CountText dues={dues.length} count={count} tooMany={tooMany} />
      </div>
    </Dialog>
  );
}

const rangeOf = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : { from, to };

function rangeError(range: { from: number; to: number } | undefined, now: number): string | undefined {
  if (!range) return undefined;
  if (range.to <= range.from) return 'The end must be after the beginning.';
  return range.from > now ? 'The range must be in the past.' : undefined;
}

interface CountTextProps {
  readonly dues: number;
  readonly count: number | undefined;
  readonly tooMany: boolean;
}

function CountText({ dues, count, tooMany }: CountTextProps) {
  if (tooMany) return <Box>The range has more than {MAX_BACKFILLED} occurrences. Choose a shorter one.</Box>;
  if (count === undefined) return <Box color="text-body-secondary">Counting…</Box>;
  return (
    <Box>
      The schedule has {dues} {dues === 1 ? 'occurrence' : 'occurrences'} in the range. {dues - count} of them{' '}
      {dues - count === 1 ? 'has' : 'have'} an execution, so <strong>{count}</strong> will run.
    </Box>
  );
}
