// The audit of a range: what the schedule expects, compared with the executions that are recorded.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Select from '@cloudscape-design/components/select';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Job } from '../../../src/client/types.ts';
import { lengthText } from '../../../src/domain/length-text.ts';
import { DAY } from '../../../src/domain/schedule/duration.ts';
import { isoIn, isoUtc } from '../../../src/domain/schedule/instant.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, RowTable } from '../../parts/row-table.tsx';
import { Time } from '../../parts/time.tsx';
import { useZone } from '../../parts/zone.tsx';
import { DateTimeControl } from '../edit/schedule/date-time-field.tsx';
import { instantOfField } from '../job/instant-of-field.ts';
import { type Audit, auditOf } from './audit-of-job.ts';
import { type Finding, findingsOf } from './findings.ts';

const LATE_CHOICES = [100, 500, 1000, 2000, 10_000, 60_000];
const DEFAULT_LATE_MS = 2000;

interface Range {
  readonly from: number;
  readonly to: number;
  readonly lateMs: number;
}

export function AuditPanel({ job }: { job: Job }) {
  const api = useApi();
  const [params] = useSearchParams();
  const { zone } = useZone();
  const asked = rangeOf(params);
  const audit = useQuery({
    queryKey: keys.audit(job.id, asked),
    queryFn: ({ signal }) => auditOf(api, job, asked ?? { from: 0, to: 0, lateMs: 0 }, signal),
    enabled: asked !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel
      title="Audit of a range"
      description="Every occurrence that the schedule has in the range is compared with the recorded executions."
    >
      <div className="stack">
        <RangeForm
          key={`${params.get('from')} ${params.get('to')} ${zone}`}
          zone={zone}
          asked={asked}
          isRunning={audit.isFetching}
          onAgain={() => void audit.refetch()}
        />
        {asked && (
          <Loaded query={audit} lines={5}>
            {(data) => <Report job={job} audit={data} lateMs={asked.lateMs} />}
          </Loaded>
        )}
      </div>
    </Panel>
  );
}

function rangeOf(params: URLSearchParams): Range | undefined {
  const [from, to] = [Date.parse(params.get('from') ?? ''), Date.parse(params.get('to') ?? '')];
  const late = Number(params.get('late') ?? DEFAULT_LATE_MS);
  if (Number.isNaN(from) || Number.isNaN(to) || from >= to) return undefined;
  return { from, to, lateMs: late > 0 ? late : DEFAULT_LATE_MS };
}

interface RangeFormProps {
  readonly asked: Range | undefined;
  readonly zone: string;
  readonly isRunning: boolean;
  readonly onAgain: () => void;
}

function RangeForm({ asked, zone, isRunning, onAgain }: RangeFormProps) {
  const [, setParams] = useSearchParams();
  const [now] = useState(Date.now);
  const [from, setFrom] = useState(() => isoIn(zone, asked?.from ?? now - DAY).slice(0, 19));
  const [to, setTo] = useState(() => isoIn(zone, asked?.to ?? now).slice(0, 19));
  const [late, setLate] = useState(asked?.lateMs ?? DEFAULT_LATE_MS);
  const [start, end] = [instantOfField(from, zone), instantOfField(to, zone)];
  const isWrong = start.at === undefined || end.at === undefined || start.at >= end.at;
  const compare = () => {
    if (start.at === undefined || end.at === undefined || isWrong) return;
    const next = { from: isoUtc(start.at), to: isoUtc(end.at), late: String(late) };
    const isSame =
      asked && isoUtc(asked.from) === next.from && isoUtc(asked.to) === next.to && asked.lateMs === late;
    if (isSame) return onAgain();
    setParams((old) => {
      for (const [name, value] of Object.entries(next)) old.set(name, value);
      return old;
    });
  };
  return (
    <form
      className="why-form"
      onSubmit={(event) => {
        event.preventDefault();
        compare();
      }}
    >
      <FormField label="From" description={`In ${zone}.`} errorText={start.error}>
        <DateTimeControl label="From" value={from} zone={zone} onChange={setFrom} />
      </FormField>
      <FormField
        label="To"
        description={`In ${zone}.`}
        errorText={
          end.error ??
          (start.at !== undefined && end.at !== undefined && isWrong
            ? 'Must be after the beginning.'
            : undefined)
        }
      >
        <DateTimeControl label="To" value={to} zone={zone} onChange={setTo} />
      </FormField>
      <FormField label="Late" description="A later start counts.">
        <Select
          selectedOption={{ value: String(late), label: `More than ${lengthText(late)}` }}
          options={LATE_CHOICES.map((ms) => ({ value: String(ms), label: `More than ${lengthText(ms)}` }))}
          onChange={({ detail }) => setLate(Number(detail.selectedOption.value))}
        />
      </FormField>
      <Button formAction="submit" disabled={isWrong} loading={isRunning}>
        Compare
      </Button>
    </form>
  );
}

function Report({ job, audit, lateMs }: { job: Job; audit: Audit; lateMs: number }) {
  const { report, executions, notes } = audit;
  const findings = findingsOf(report, executions, audit);
  const isGood = report.missing.length + report.doubled.length + report.late.length === 0;
  return (
    <div className="stack">
      <div role="status">
        <StatusIndicator type={isGood ? 'success' : 'warning'}>
          {isGood
            ? `Every expected occurrence has one execution${report.skipped > 0 ? `. ${report.skipped} ${report.skipped === 1 ? 'was' : 'were'} skipped, the others` : ' that'} started on time.`
            : 'Some occurrences are missing, doubled or late.'}
        </StatusIndicator>
      </div>
      <KeyValuePairs
        columns={4}
        items={[
          { label: 'Expected', value: report.expected },
          { label: 'Recorded', value: report.recorded },
          { label: 'Missing', value: report.missing.length },
          { label: `Late by more than ${lengthText(lateMs)}`, value: report.late.length },
          { label: 'Doubled', value: report.doubled.length },
          { label: 'Skipped', value: report.skipped },
          ...optional('During a pause', report.paused),
          ...optional('Due just now', report.pending),
          ...optional('Not expected', report.unexpected.length),
          ...optional('By earlier rules of the time zone', report.byEarlierRules),
          ...optional('Started manually', report.byHand),
        ]}
      />
      {notes.map((note) => (
        <Box key={note} color="text-body-secondary">
          {note}
        </Box>
      ))}
      {findings.length > 0 && (
        <RowTable<Finding>
          label="Findings"
          columns={columnsOf(job.id)}
          rows={findings}
          rowId={({ what, dueAt, executionId = '' }) => `${what} ${dueAt} ${executionId}`}
          rowName={({ what, dueAt }) => `${what} ${dueAt}`}
          href={(finding) => pageOf(job.id, finding)}
        />
      )}
    </div>
  );
}

const optional = (label: string, value: number) => (value > 0 ? [{ label, value }] : []);

const pageOf = (jobId: string, { dueAt, executionId }: Finding): string =>
  executionId === undefined
    ? `/jobs/${jobId}/why?at=${encodeURIComponent(dueAt)}`
    : `/executions/${executionId}`;

const TYPES = {
  missing: 'error',
  doubled: 'error',
  late: 'warning',
  skipped: 'not-started',
  'not expected': 'info',
} as const;

const columnsOf = (jobId: string): Column<Finding>[] => [
  {
    id: 'what',
    title: 'Finding',
    width: '140px',
    cell: ({ what }) => <StatusIndicator type={TYPES[what]}>{what}</StatusIndicator>,
  },
  {
    id: 'due',
    title: 'Due',
    width: '240px',
    cell: (finding) => (
      <Link href={pageOf(jobId, finding)} tabIndex={-1}>
        <Time at={finding.dueAt} />
      </Link>
    ),
  },
  { id: 'detail', title: 'Detail', cell: ({ detail }) => <span title={detail}>{detail}</span> },
  {
    id: 'why',
    title: 'Why',
    width: '90px',
    cell: ({ dueAt }) => (
      <Link href={`/jobs/${jobId}/why?at=${encodeURIComponent(dueAt)}`} tabIndex={-1}>
        Explain
      </Link>
    ),
  },
];
