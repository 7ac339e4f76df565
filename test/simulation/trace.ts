// The lines of a trace: the process, its call, and the answer.

import { dueAtOf } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import type { Entry } from '../../src/domain/executions/slots.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import type { Message } from '../../src/queue/queue.ts';
import type { Page, Shard } from '../../src/store/store.ts';
import { clockText, EPOCH, type SimulatedWorld } from './simulated-world.ts';

interface Fate {
  readonly fails: boolean;
  readonly lost: boolean;
  readonly back: number;
}

export function describeCall(
  world: SimulatedWorld,
  what: string,
  args: unknown[],
  answer: unknown,
  fate: Fate,
): string {
  const shown = args.map((arg) => show(world, arg)).join(', ');
  const result = fate.fails ? 'FAILS' : show(world, answer);
  const lost = fate.lost ? '  ANSWER LOST' : '';
  const late = fate.back > 50 ? `  (answer after ${fate.back} ms)` : '';
  return `${what}(${shown}) = ${result}${lost}${late}`;
}

export function show(world: SimulatedWorld, value: unknown): string {
  const name = (jobId: string, due?: string) => world.checks.nameOf(jobId, due);
  if (value === undefined) return '-';
  if (typeof value === 'string') return shortText(world, value);
  if (typeof value === 'number') return value > EPOCH - 1e9 ? clockText(value) : String(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => show(world, item)).join(' ')}]`;
  if ('kind' in value && 'at' in value) {
    const entry = value as Entry;
    return `${entry.kind} ${name(entry.jobId, entry.due)}/${entry.revision.slice(0, 4)} at ${clockText(entry.at)}`;
  }
  if ('fireAt' in value) {
    const message = value as Message;
    return `${name(message.jobId, message.due)}/${message.revision.slice(0, 4)} fires ${clockText(message.fireAt)}`;
  }
  if ('items' in value) return show(world, (value as Page<unknown>).items);
  if ('maxAttempts' in value && 'due' in value) return showRow(name, value as Row);
  if ('schedule' in value && 'version' in value) return showHead(name, value as Head);
  if ('dispatchedUntil' in value && 'shard' in value) {
    const shard = value as Shard;
    return `shard ${shard.shard} dispatched ${shard.dispatchedUntil - EPOCH / 60_000} settled ${shard.settledUntil - EPOCH / 60_000}`;
  }
  return `{${Object.entries(value)
    .filter(([key]) => !['tags', 'updatedAt'].includes(key))
    .map(([key, field]) => `${key} ${show(world, field)}`)
    .join(', ')}}`;
}

type Name = (jobId: string, due?: string) => string;

function shortText(world: SimulatedWorld, text: string): string {
  if (text.startsWith('job_')) return world.checks.nameOf(text);
  if (/^\d{13}(-\w+)?$/.test(text)) return `@${clockText(dueAtOf(text))}${text.slice(13)}`;
  return /^[0-9A-Za-z]{12}$/.test(text) ? text.slice(0, 4) : text;
}

function showRow(name: Name, row: Row): string {
  const next = row.nextAttemptAt === undefined ? '' : ` next ${clockText(row.nextAttemptAt)}`;
  const lease = row.status === 'RUNNING' ? ` until ${clockText(row.leaseUntil ?? 0)} ${row.workerId}` : '';
  const cancel = row.cancelRequested ? ' CANCEL' : '';
  const reason = row.reason ? ` "${row.reason}"` : '';
  return `row ${name(row.jobId, row.due)} ${row.status} no ${numberText(row.number)} attempt ${row.attempt}/${row.maxAttempts}${lease}${next}${cancel}${reason}`;
}

/** A number is about the time of its claim. */
const numberText = (number: number): string => (number === 0 ? '0' : clockText(number));

function showHead(name: Name, head: Head): string {
  const { lock } = head;
  const locked = lock ? ` lock ${name(head.jobId, lock.due)} no ${numberText(lock.number)}` : '';
  const covered = head.coveredUntil ? ` covered ${clockText(dueAtOf(head.coveredUntil))}` : '';
  return `head ${name(head.jobId)} ${head.status}/${head.revision.slice(0, 4)} version ${head.version}${covered}${locked}`;
}
