// The log lines of executions in the log group of the workers. CloudWatch Logs searches them by execution id within the time of the
// execution.
import type { CloudWatchLogsClient, FilteredLogEvent } from '@aws-sdk/client-cloudwatch-logs';
import { LRUCache } from 'lru-cache';
import { executionId } from '../../domain/executions/ids.ts';
import { LINE_LEVELS, type LineLevel, type LogLine } from '../../domain/executions/log-line.ts';
import { invalidCursor } from '../../store/cursors.ts';
import type { ExecutionLogs, LogPage, LogQuery } from '../execution-logs.ts';
import { SourceUnavailable, unavailable } from '../source-unavailable.ts';

export interface CloudWatchLogsOptions {
  client(): Promise<CloudWatchLogsClient>;
  /** The log group of the workers. */
  readonly group: string;
  /** Milliseconds that never jump. */
  monotonic(): number;
}

/** A page is read at most once in this time by one process. */
export const CACHED_MS = 5_000;
const MAX_CACHED = 500;
/** Calls of one request. A call may return nothing although there is more, because it searches up to 1 MB. */
const MAX_CALLS = 5;
/** CloudWatch's maximum number of events in a response. */
const MAX_EVENTS = 10_000;
/** The clock of the machine that receives the lines may differ, and a task may log after its end. */
const MARGIN_MS = 60_000;
/** The log driver of ECS sends lines every few seconds. */
const DELAY_MS = 15_000;

/** Fields of a line that are not those of the task. */
const OWN_FIELDS = new Set([
  ...['level', 'message', 'timestamp', 'service', 'workerId'],
  ...['executionId', 'jobId', 'task', 'attempt', 'userId', 'writtenBy'],
]);

/** The position at which a search continues: after a line, or at a token of CloudWatch with the same range. */
interface Position {
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly afterEvent?: string;
  readonly nextToken?: string;
}

export function createCloudWatchLogs({ client, group, monotonic }: CloudWatchLogsOptions): ExecutionLogs {
  const pages = new LRUCache<string, Promise<LogPage>>({
    max: MAX_CACHED,
    ttl: CACHED_MS,
    perf: { now: monotonic },
    ttlResolution: 0,
  });

  async function search(id: string, query: LogQuery): Promise<LogPage> {
    const { FilterLogEventsCommand } = await import('@aws-sdk/client-cloudwatch-logs');
    const logs = await client();
    const range = {
      startTime: query.startedAt - MARGIN_MS,
      endTime: query.finishedAt === undefined ? undefined : query.finishedAt + MARGIN_MS,
    };
    const position: Position = query.cursor === undefined ? range : positionOf(query.cursor, range.endTime);
    const { startTime, endTime, afterEvent } = position;
    let { nextToken } = position;
    const found: FilteredLogEvent[] = [];
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const answer = await logs.send(
        new FilterLogEventsCommand({
          logGroupName: group,
          filterPattern: `{ $.writtenBy = "task" && $.executionId = "${id}" }`,
          ...{ startTime, endTime, nextToken },
          // the lines before `afterEvent` in the same millisecond are read again
          limit: afterEvent === undefined ? query.limit + 1 : MAX_EVENTS,
        }),
      );
      found.push(...(answer.events ?? []));
      nextToken = answer.nextToken;
      const lines = linesAfter(found, position);
      if (lines.length > query.limit || nextToken === undefined) return pageOf(lines, query.limit);
    }
    return { items: linesAfter(found, position), nextCursor: encode({ startTime, endTime, nextToken }) };
  }

  const explained = (error: unknown): unknown =>
    error instanceof Error && error.name === 'ResourceNotFoundException'
      ? new SourceUnavailable(
          `the log group ${group} of the workers does not exist in this Region; it was deleted, or the workers log elsewhere`,
          60,
        )
      : (unavailable(error, 'CloudWatch Logs', `logs:FilterLogEvents on the log group ${group}`) ?? error);

  return {
    delayMs: DELAY_MS,
    read({ jobId, due }, query) {
      const id = executionId(jobId, due);
      const page = JSON.stringify([id, query.cursor, query.limit]);
      const cached = pages.get(page);
      if (cached) return cached;
      // an error is cached too, so that a throttled caller does not ask again at once
      const read = search(id, query).catch((error: unknown) => {
        throw explained(error);
      });
      pages.set(page, read);
      return read;
    },
  };
}

type Line = LogPage['items'][number];

function pageOf(lines: readonly Line[], limit: number): LogPage {
  const items = lines.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(lines.length > limit && last && { nextCursor: last.id }) };
}

/** The lines after an event. CloudWatch returns events in the order of their times. */
function linesAfter(events: readonly FilteredLogEvent[], { afterEvent, startTime }: Position): Line[] {
  const seen = events.findIndex(({ eventId }) => eventId === afterEvent);
  const isNew = (event: FilteredLogEvent, index: number) =>
    afterEvent === undefined || (seen < 0 ? (event.timestamp ?? 0) > startTime : index > seen);
  return events.filter(isNew).flatMap((event) => lineOf(event) ?? []);
}

/** Undefined if the event is not a whole line of a task. */
function lineOf({ timestamp = 0, eventId = '', message = '' }: FilteredLogEvent): Line | undefined {
  try {
    const parsed = JSON.parse(message) as Record<string, unknown>;
    const at = Date.parse(String(parsed.timestamp));
    const level = String(parsed.level).toLowerCase() as LineLevel;
    const own = Object.entries(parsed).filter(([name]) => !OWN_FIELDS.has(name));
    const line: LogLine = {
      at: Number.isNaN(at) ? timestamp : at,
      level: LINE_LEVELS.includes(level) ? level : 'info',
      message: typeof parsed.message === 'string' ? parsed.message : JSON.stringify(parsed.message ?? ''),
      attempt: Number.isInteger(parsed.attempt) ? (parsed.attempt as number) : 1,
      ...(own.length > 0 && { fields: Object.fromEntries(own) }),
    };
    return { id: `${timestamp}-${eventId}`, ...line };
  } catch {
    return undefined;
  }
}

const encode = ({ startTime, endTime, nextToken = '' }: Position): string =>
  `at.${startTime}.${endTime ?? ''}.${Buffer.from(nextToken).toString('base64url')}`;

/** A cursor is the id of a line, or a position of a search that has not ended. */
function positionOf(cursor: string, endTime: number | undefined): Position {
  const [, time, afterEvent] = /^(\d{13})-(\w{1,100})$/.exec(cursor) ?? [];
  if (time !== undefined && afterEvent !== undefined) return { startTime: Number(time), endTime, afterEvent };
  const [, start, end, token] = /^at\.(\d{13})\.(\d{13})?\.([\w-]+)$/.exec(cursor) ?? [];
  if (start === undefined || token === undefined) throw invalidCursor();
  return {
    startTime: Number(start),
    endTime: end ? Number(end) : undefined,
    nextToken: Buffer.from(token, 'base64url').toString(),
  };
}
