// The calling thread's side of the writer's thread. The writes of one turn of the event loop are sent as one message, with the
// records of the last milliseconds. Each caller's promise is settled after its commit.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LoopTurns } from '../../concurrency/loop-turns.ts';
import { WriteRefused } from './commit.ts';
import { StoreFault } from './faults.ts';
import type { FromWriter, ToWriter, WriterData, WriterStats } from './protocol.ts';
import {
  type Answer,
  RANKS,
  type Rank,
  type Statement,
  type Value,
  type Write,
  type Writer,
} from './statements.ts';

/** A full message is sent before the turn of the event loop ends. */
const FULL = 256;
/**
 * Nobody waits for a record, so it waits this long for other writes. At a steady rate most commits would hold one record, and
 * each costs 0.3 ms of CPU in both threads.
 */
const RECORDS_WAIT_MS = 10;

/**
 * Answers that are handed out in one turn of the event loop. Each lets its caller go on, for about 20 µs. The answers of several
 * commits may arrive together after a long turn.
 */
const ANSWERS_PER_TURN = 300;

interface Caller {
  readonly rank: Rank;
  readonly owner: string;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export interface ThreadWriter extends Writer {
  /** Deletes rows that have expired by `now`, in the background. */
  expire(now: number): void;
  stats(): Promise<WriterStats>;
  /** Commits all waiting writes and closes the file. Later writes are refused. */
  close(): Promise<void>;
}

export async function startThreadWriter(
  file: string,
  onStopped: (error: Error) => void = () => {},
): Promise<ThreadWriter> {
  const workerData: WriterData = { file };
  const thread = new Worker(new URL('./writer.thread.ts', import.meta.url), { workerData });
  const callers = new Map<number, Caller>();
  const answering = new LoopTurns(ANSWERS_PER_TURN, RANKS);
  const numbers = new Map<Statement, number>();
  let statements: Statement[] = [];
  let writes: Value[] = [];
  let collected = 0;
  /** The writes so far are sent when this turn of the event loop ends. */
  let soon = false;
  let later: NodeJS.Timeout | undefined;
  let sent = 0;
  let stopped: Error | undefined;
  let statsAsked = Promise.withResolvers<WriterStats>();

  const send = (message: ToWriter): void => thread.postMessage(message);

  function flush(): void {
    if (collected === 0) return;
    send({ kind: 'writes', statements, writes });
    statements = [];
    writes = [];
    collected = 0;
    soon = false;
    clearTimeout(later);
    later = undefined;
  }

  function flushWhenDue(rank: Rank): void {
    if (collected === FULL) flush();
    else if (soon) return;
    else if (rank === 'record') later ??= setTimeout(flush, RECORDS_WAIT_MS);
    else {
      soon = true;
      setImmediate(flush);
    }
  }

  function numberOf(statement: Statement): number {
    const known = numbers.get(statement);
    if (known !== undefined) return known;
    statements.push(statement);
    numbers.set(statement, numbers.size);
    return numbers.size - 1;
  }

  function callerOf(number: number): Caller | undefined {
    const caller = callers.get(number);
    callers.delete(number);
    return caller;
  }

  function receive(message: FromWriter): void {
    if (message.kind === 'done') {
      const { answers } = message;
      for (let i = 0; i < answers.length; i += 2) {
        const caller = callerOf(answers[i] as number);
        if (caller) answering.call(caller.rank, caller.owner, () => caller.resolve(answers[i + 1] as Answer));
      }
    } else if (message.kind === 'refused') {
      callerOf(message.number)?.reject(new WriteRefused(message.message));
    } else if (message.kind === 'failed') {
      const { kind, detail } = message.fault;
      for (const number of message.numbers) callerOf(number)?.reject(new StoreFault(kind, file, detail));
    } else if (message.kind === 'stats') statsAsked.resolve(message.stats);
  }

  function stop(error: Error): void {
    stopped ??= error;
    for (const caller of callers.values()) caller.reject(error);
    callers.clear();
  }

  const [ready] = (await once(thread, 'message')) as [FromWriter];
  if (ready.kind !== 'ready') throw new Error(`the writer's thread began with ${ready.kind}`);
  thread.on('message', receive);
  thread.on('error', (error: Error) => {
    stop(error);
    onStopped(error);
  });
  thread.on('exit', () => stop(new StoreFault('stopped', file)));

  const queue = (unit: readonly Write[], rank: Rank, owner: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (stopped) return reject(stopped);
      writes.push(RANKS.indexOf(rank), owner, unit.length);
      for (const { statement, values } of unit) writes.push(numberOf(statement), values.length, ...values);
      callers.set(sent++, { rank, owner, resolve, reject });
      collected++;
      flushWhenDue(rank);
    });

  return {
    write: (statement, values, rank, owner) => queue([{ statement, values }], rank, owner),
    transact: async (unit, rank, owner) => (await queue(unit, rank, owner)) === 1,
    truncate: () => send({ kind: 'truncate' }),
    expire: (now) => send({ kind: 'expire', now }),
    stats() {
      statsAsked = Promise.withResolvers();
      send({ kind: 'stats' });
      return statsAsked.promise;
    },
    async close() {
      if (stopped) return;
      flush();
      const exited = once(thread, 'exit');
      send({ kind: 'close' });
      await exited;
    },
  };
}
