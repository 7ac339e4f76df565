// How the calls that matter look on the wire. The only place here that knows how the store and the queue say it.
import type { Call, EngineProxy, Match } from './proxy.ts';

const on = (table: string, call: Call): boolean => call.text.includes(`-${table}"`);

/** The compare-and-set that takes the job. */
export const take =
  (jobId: string): Match =>
  (call) =>
    call.operation === 'UpdateItem' &&
    on('jobs', call) &&
    call.text.includes(jobId) &&
    call.text.includes('":hold"');

/** The end of an execution that had no row. */
export const insertRow =
  (jobId: string): Match =>
  (call) =>
    call.operation === 'PutItem' && on('executions', call) && call.text.includes(jobId);

/** The row of an execution that was told to stop. */
export const cancelledRow =
  (jobId: string): Match =>
  (call) =>
    insertRow(jobId)(call) && call.text.includes('CANCELLED');

/** A job is cancelled or paused. */
export const withdraw =
  (jobId: string): Match =>
  (call) =>
    call.operation === 'UpdateItem' &&
    on('jobs', call) &&
    call.text.includes(jobId) &&
    /\\"status\\":\\"(cancelled|paused)/.test(call.text);

export const insertHead =
  (name: string): Match =>
  (call) =>
    call.operation === 'PutItem' &&
    on('jobs', call) &&
    call.text.includes('"head"') &&
    call.text.includes(name);

/** The watcher has done a slot and moves its cursor behind it. */
export const moveCursor =
  (cursor: 'dispatchedUntil' | 'settledUntil', shard: number, minute: number): Match =>
  (call) =>
    call.operation === 'UpdateItem' &&
    on('control', call) &&
    call.text.includes(`"shard#${shard}"`) &&
    call.text.includes(`":${cursor}":{"N":"${minute}"`);

export const sendMessages =
  (text: string): Match =>
  (call) =>
    call.operation === 'SendMessageBatch' && call.text.includes(text);

type Seen = EngineProxy['calls'][number];

/** A message of this job was handed out. */
export const handsOut =
  (jobId: string) =>
  ({ operation, answer }: Seen): boolean =>
    operation === 'ReceiveMessage' && answer !== undefined && answer.includes(jobId);

/** A message was handed back for anybody to take. */
export const handsBack = ({ operation, text }: Seen): boolean =>
  operation === 'ChangeMessageVisibilityBatch' && text.includes('"VisibilityTimeout":0');
