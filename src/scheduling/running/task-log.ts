// The log of a task: its lines go to the log of the process and, if the server keeps them itself, to the lines of the execution.
import { executionId } from '../../domain/executions/ids.ts';
import type { TaskLog } from '../../tasks/task.ts';
import type { Claimed } from '../claiming/claim-result.ts';
import type { Context } from '../context.ts';

export function taskLog({ log, lines, clock }: Context, { head, row }: Claimed): TaskLog {
  const { jobId, userId, task } = head;
  const { due, attempt } = row;
  // a task cannot replace these fields: its lines are found by them
  const fixed = { executionId: executionId(jobId, due), jobId, task, attempt, userId, writtenBy: 'task' };
  const write =
    (level: 'info' | 'warn'): TaskLog['info'] =>
    (text, fields) => {
      log[level](text, { ...fields, ...fixed });
      lines?.record({ jobId, due }, userId, {
        ...{ at: clock.now(), level, message: text, attempt },
        ...(fields && { fields }),
      });
    };
  return { info: write('info'), warn: write('warn') };
}
