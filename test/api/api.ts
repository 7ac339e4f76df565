// The real handlers and use cases on the in-memory store, with a clock that does not advance.

import { routes } from '../../src/api/handlers/scheduler-routes.ts';
import { createApi } from '../../src/api/http/handler.ts';
import { boundRequests } from '../../src/api/request-bounds.ts';
import { answeringInSlices, type RequestTurns } from '../../src/concurrency/request-turns.ts';
import { parseExecutionId } from '../../src/domain/executions/ids.ts';
import type { Row, RowStatus } from '../../src/domain/executions/row.ts';
import { NO_LIMITS, type OwnerLimits } from '../../src/domain/jobs/owner-limits.ts';
import type { SearchLimits } from '../../src/domain/schedule/search-budget.ts';
import { createQuotas } from '../../src/jobs/enforce-quotas.ts';
import type { IngestQueue } from '../../src/queue/ingest-queue.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createMemoryLogLines } from '../../src/store/memory/memory-log-lines.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { createRecipients } from '../../src/tasks/aws/recipients.ts';
import { builtinTasks, describeOnlyServices } from '../../src/tasks/registry.ts';
import { createMinuteStatistics } from '../../src/telemetry/in-process/minute-statistics.ts';
import { createLogBuffer } from '../../src/telemetry/stored/log-buffer.ts';
import { createStoredLogs } from '../../src/telemetry/stored/stored-logs.ts';
import type { Telemetry } from '../../src/telemetry/telemetry.ts';
import { type Call, caller } from '../support/api-events.ts';
import { MemoryQueue } from '../support/memory-queue.ts';

export const NOW = Date.parse('2026-11-16T12:00:00.000Z');

export const OPERATORS = 'punctual-operators';

export interface TestOptions {
  readonly limits?: Partial<OwnerLimits>;
  readonly corsOrigins?: readonly string[];
  readonly operatorsGroup?: string;
  readonly authorization?: 'jwt' | 'iam';
  readonly operatorRoles?: readonly string[];
  readonly emailRecipients?: readonly string[];
  /** The store of another API, for tests with several processes. */
  readonly store?: MemoryStore;
  /** Default: log lines in memory. */
  readonly telemetry?: Telemetry;
  /** Requests work in slices, as in an embedded server. Default: they do not. */
  readonly turns?: RequestTurns;
  /** The budget of the searches for occurrences. */
  readonly searchLimits?: SearchLimits;
  /** Bounded over all APIs with the same store, as on Lambda. */
  readonly bounded?: boolean;
}

export function testApi({
  limits,
  corsOrigins,
  operatorsGroup = OPERATORS,
  authorization,
  operatorRoles,
  emailRecipients = ['*@example.com'],
  store = strict(new MemoryStore({ shards: DEFAULT_SETTINGS.shards })),
  telemetry,
  turns,
  searchLimits,
  bounded = false,
}: TestOptions = {}) {
  const queue = new MemoryQueue();
  const ingested: string[] = [];
  const logged: Record<string, unknown>[] = [];
  let now = NOW;
  let made = 0;
  const ctx: Context = {
    store: turns ? answeringInSlices(store) : store,
    queue,
    clock: {
      now: () => now,
      monotonic: () => now,
      // A sleep with a signal ends only by an abort. A sleep without a signal ends immediately.
      sleep: (_ms, signal) =>
        signal
          ? new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
          : Promise.resolve(),
    },
    random: { id: (length) => String(++made).padStart(length, '0'), float: () => 0.5 },
    log: createLog('debug', {}, (line) => logged.push(JSON.parse(line))),
    settings: DEFAULT_SETTINGS,
  };
  const lineStore = createMemoryLogLines();
  const lines = createLogBuffer({ store: lineStore, timer: ctx.clock, onLost() {} });
  const statistics = createMinuteStatistics(ctx.clock);
  const kept = { logs: createStoredLogs(lineStore, lines), statistics };
  const quotas = createQuotas(ctx, { ...NO_LIMITS, ...limits });
  const ingest: IngestQueue = {
    send: async (message) => {
      ingested.push(JSON.stringify(message));
      return true;
    },
  };
  const recipients = createRecipients(emailRecipients);
  const all = routes(ctx, builtinTasks(describeOnlyServices(recipients)), {
    ...{ quotas, ingest, recipients },
    telemetry: telemetry ?? kept,
  });
  const call = caller(
    createApi(all, {
      log: ctx.log,
      corsOrigins,
      authorization,
      operatorsGroup,
      operatorRoles,
      throttle: quotas.takeRequest,
      ...(bounded && { bounded: boundRequests(quotas, ctx.clock) }),
      turns,
      searchLimits,
    }),
  );
  return {
    store,
    queue,
    ctx,
    quotas,
    /** Bodies of the messages in the ingest queue. */
    ingested,
    logged,
    /** Takes the log lines of tasks. */
    lines,
    /** Takes the metrics of workers. */
    statistics,
    call,
    tick: (ms = 1) => {
      now += ms;
    },
    /** The number of stored items of all kinds. */
    stored: () => {
      const { heads, rows, entries } = store.snapshot();
      return (
        heads.length +
        rows.length +
        entries.length +
        store.definitions.size +
        [...store.changes.values()].reduce((sum, ofJob) => sum + ofJob.size, 0) +
        store.operations.size +
        store.names.size +
        queue.messages.length +
        ingested.length
      );
    },
    create: async (body: Record<string, unknown> = {}, options: Call = {}) => {
      const answer = await call('POST', '/jobs', { ...options, body: { task: 'noop', ...body } });
      if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    /** Writes the row that a worker would write. */
    endRow: async (id: string, status: RowStatus, more: Partial<Row> = {}) => {
      const key = parseExecutionId(id);
      const row = key && (await store.readRow(key.jobId, key.due, { consistent: true }));
      if (!row) throw new Error(`no row ${id}`);
      const error = status === 'FAILED' ? { name: 'Error', message: 'told to fail' } : undefined;
      await store.updateRow(row, {
        ...row,
        status,
        attempt: 1,
        startedAt: now,
        finishedAt: now,
        error,
        ...more,
      });
    },
  };
}

/** Refuses strings with half of a surrogate pair, as DynamoDB does. A map in memory would take them. */
function strict<S extends object>(store: S): S {
  const check = (args: unknown[]) => {
    if (/(?<!\\)(\\\\)*\\ud[89a-f]/.test(JSON.stringify(args)))
      throw new Error('a text is not well-formed Unicode');
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        check(args);
        return value.apply(target, args);
      };
    },
  });
}
