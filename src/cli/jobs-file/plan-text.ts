// A plan as text for a terminal, and as Markdown for a pull request.

import type { NamedJobPlan } from '../../client/client.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import { withoutControls } from '../../domain/terminal-text.ts';
import { scheduleText } from '../resource-tables.ts';
import { type TimeStyle, timeText } from '../times.ts';
import type { Comparison, JobPlan, Summary } from './compare-with-server.ts';

type Action = NamedJobPlan['action'];
type Change = NamedJobPlan['changes'][number];

const MARK: Record<Action, string> = { create: '+', update: '~', replace: '±', none: ' ' };

export interface PlanStyle extends TimeStyle {
  /** Whether jobs that are not in the file are cancelled. */
  readonly prune: boolean;
}

/** The differences, one job after the other. Unchanged jobs are counted only. */
export function planLines({ jobs, extras }: Comparison, style: PlanStyle): string[] {
  const width = Math.max(0, ...[...jobs, ...extras].map(({ name }) => name.length));
  const line = (mark: string, name: string, text: string) =>
    withoutControls(`  ${mark} ${name.padEnd(width)}  ${text}`);
  return [
    ...jobs.flatMap((one) => {
      if (one.refused !== undefined) return [line('!', one.name, `refused: ${one.refused}`)];
      if (!one.plan || one.plan.action === 'none') return [];
      return [
        line(
          MARK[one.plan.action],
          one.name,
          `${one.plan.action}${reasonOf(one)}${marked(cancelOf(one.plan, style))}`,
        ),
        ...detailsOf(one.plan, style).map((text) => withoutControls(`      ${text}`)),
      ];
    }),
    ...extras.map(({ name }) =>
      line('-', name, style.prune ? 'cancel: it is not in the file' : 'not in the file; --prune cancels it'),
    ),
  ];
}

function reasonOf({ plan, job }: JobPlan): string {
  const { task, schedule } = job.job;
  if (plan?.action === 'create') return `  ${task}: ${scheduleWords(schedule)}`;
  if (plan?.action === 'replace')
    return ': this cannot be edited, so a new job is created and the old one is cancelled';
  return '';
}

/** The cancel of a job that is created again, with its user. Empty if the job was not cancelled. */
function cancelOf({ action, drift: [cancel] = [] }: NamedJobPlan, style: TimeStyle): string {
  return action === 'create' && cancel ? driftText(cancel, style) : '';
}

const marked = (by: string): string => by && `   (drift: ${by})`;

function scheduleWords(schedule: ScheduleInput): string {
  // the words do not depend on the time, except for a rate without a start
  const resolved = resolveSchedule(schedule, 0);
  const words = scheduleText({ schedule: resolved });
  return schedule.startAt === undefined ? words.replace(/, counted from 1970[^\s,]*/, '') : words;
}

function detailsOf({ action, changes, drift = [] }: NamedJobPlan, style: TimeStyle): string[] {
  if (action === 'create') return [];
  const width = Math.max(...changes.map(({ path }) => path.length));
  return changes.map((change) =>
    isRest(change)
      ? change.path
      : `${change.path.padEnd(width)}  ${fromTo(change)}${marked(driftOf(change, drift, style))}`,
  );
}

/** True for the last entry of a long list, which is the number of the other changes. */
const isRest = (change: Change): boolean => !('from' in change || 'to' in change);

const fromTo = (change: Change): string =>
  `${shown(change, 'from')} → ${'to' in change ? shown(change, 'to') : '(none)'}`;

const MAX_VALUE = 120;
/** Values of params whose names look like this are not printed, because a plan is read by many. */
const CONFIDENTIAL = /authorization|token|password|passwd|secret|api[-_]?key|credential|signature|cookie/i;

function shown(change: Change, side: 'from' | 'to'): string {
  if (!(side in change)) return '(none)';
  if (isConfidential(change)) return '(hidden)';
  const text = JSON.stringify(change[side], (key, value) =>
    CONFIDENTIAL.test(key) && isWithin(change) ? '(hidden)' : value,
  );
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}

const isWithin = ({ path }: Change): boolean => path === 'params' || path.startsWith('params.');

/** The part of a path that is cut may look confidential. The reference to a secret may be shown, because it is not the secret. */
const isConfidential = (change: Change): boolean =>
  isWithin(change) &&
  (CONFIDENTIAL.test(change.path) || change.path.includes('…')) &&
  !change.path.endsWith('.$secret');

type Drift = NonNullable<NamedJobPlan['drift']>;

/** The last change of the field since the last apply, with its user. Empty if it was changed in the file. */
function driftOf({ path }: Change, drift: Drift, style: TimeStyle): string {
  const [field = ''] = path.split(/[.[]/);
  const recorded = field === 'paused' ? 'status' : field;
  const change = drift.find(({ fields }) => fields.includes(recorded));
  return change ? driftText(change, style) : '';
}

function driftText({ what, by, at, note }: Drift[number], style: TimeStyle): string {
  return `${what} by ${by} ${timeText(at, style)}${note === undefined ? '' : `, ${JSON.stringify(note)}`}`;
}

export function summaryText(
  { create, update, replace, none, refused, prune }: Summary,
  done = false,
): string {
  const parts = [
    [create, done ? 'created' : 'to create'],
    [update, done ? 'updated' : 'to update'],
    [replace, done ? 'replaced' : 'to replace'],
    [prune, done ? 'cancelled' : 'to cancel'],
    [none, 'unchanged'],
    [refused, 'refused'],
  ] as const;
  const text = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return text.length > 0 ? text.join(', ') : 'no jobs';
}

/** For a comment in a pull request. */
export function planMarkdown(
  title: string,
  comparison: Comparison,
  summary: Summary,
  style: PlanStyle,
): string[] {
  const { jobs, extras } = comparison;
  const rows = [
    ...jobs.flatMap((one) => {
      if (one.refused !== undefined) return [row('refused', one.name, escaped(one.refused))];
      if (!one.plan || one.plan.action === 'none') return [];
      return [row(one.plan.action, one.name, markdownDetails(one, one.plan, style))];
    }),
    ...extras.map(({ name }) =>
      row(style.prune ? '**cancel**' : 'left alone', name, 'it is not in the file'),
    ),
  ];
  const heading = [`### Punctual: ${title}`, '', `**${summaryText(summary)}**`];
  return rows.length === 0 ? heading : [...heading, '', '| | job | change |', '|---|---|---|', ...rows];
}

const row = (what: string, name: string, text: string): string => `| ${what} | \`${name}\` | ${text} |`;

function markdownDetails(one: JobPlan, plan: NamedJobPlan, style: TimeStyle): string {
  const bold = (by: string) => by && ` **drift**: ${escaped(by)}`;
  if (plan.action === 'create') return `${escaped(reasonOf(one).trim())}${bold(cancelOf(plan, style))}`;
  const lines = plan.changes.map((change) =>
    isRest(change)
      ? escaped(change.path)
      : `${code(change.path)}: ${code(fromTo(change))}${bold(driftOf(change, plan.drift ?? [], style))}`,
  );
  const reason = plan.action === 'replace' ? ['a new job is created and the old one is cancelled'] : [];
  return [...reason, ...lines].join('<br>');
}

const code = (text: string): string => `<code>${escaped(text)}</code>`;
const escaped = (text: string): string =>
  withoutControls(text).replace(/[&<>|*_`[\]\\~]/g, (character) => `&#${character.charCodeAt(0)};`);
