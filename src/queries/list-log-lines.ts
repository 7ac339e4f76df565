// The log lines of one execution, oldest first.

import { parseExecutionId } from '../domain/executions/ids.ts';
import type { Principal } from '../domain/principal.ts';
import type { LogLineView } from '../domain/views/log-line-view.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import type { Context } from '../scheduling/context.ts';
import { NotKept } from '../telemetry/source-unavailable.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Listed } from './filtered-page.ts';
import { getExecution } from './get-execution.ts';

export interface LogLines extends Listed<LogLineView> {
  complete: boolean;
}

/** Cost: that of reading the execution. */
export async function listLogLines(
  context: Context,
  { logs }: Telemetry,
  who: Principal,
  id: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<LogLines> {
  const execution = await getExecution(context, who, id);
  if (!logs)
    throw new NotKept(
      'this server keeps no log lines of tasks: its workers write them to their standard error',
    );
  const key = parseExecutionId(id);
  const { startedAt, finishedAt } = timesOf(execution);
  const now = context.clock.now();
  const complete = finishedAt !== undefined && finishedAt + logs.delayMs <= now;
  // what has not started has no lines
  if (!key || startedAt === undefined) return { items: [], complete };
  const { items, nextCursor } = await logs.read(key, {
    ...{ limit, startedAt },
    ...(cursor !== undefined && { cursor }),
    ...(finishedAt !== undefined && { finishedAt }),
  });
  return {
    items: items.map(({ at, ...line }) => ({
      ...line,
      at: new Date(at).toISOString(),
      fields: line.fields && { ...line.fields },
    })),
    ...(nextCursor !== undefined && { nextCursor }),
    complete: complete && nextCursor === undefined,
  };
}

const ENDED: readonly ExecutionView['status'][] = ['succeeded', 'failed', 'skipped', 'cancelled'];

/** The first start, and the end. An execution that has ended without a start has its due time as its end. */
function timesOf({ status, dueAt, fireAt, latenessMs, attempts = [], timeline }: ExecutionView) {
  const starts = [timeline.startedAt, ...attempts.map((one) => one.startedAt)]
    .filter((time) => time !== undefined)
    .map((time) => Date.parse(time));
  if (latenessMs !== undefined) starts.push(Date.parse(fireAt) + latenessMs);
  const startedAt = starts.length > 0 ? Math.min(...starts) : undefined;
  const hasEnded = ENDED.includes(status);
  return { startedAt, finishedAt: hasEnded ? Date.parse(timeline.finishedAt ?? dueAt) : undefined };
}
