// The requests of the store and the queue on the wire that fault tests look for.
import type { TerminalStatus } from '../../../src/domain/executions/row.ts';
import type { Call, EngineProxy, Match } from './proxy.ts';

const on = (table: string, call: Call): boolean => call.text.includes(`-${table}"`);

/** The write that gives a claim the lock of its job. */
export const takeLock =
  (jobId: string): Match =>
  (call) =>
    call.operation === 'UpdateItem' &&
    on('jobs', call) &&
    call.text.includes(jobId) &&
    call.text.includes('":lockNumber"');

/** The write that opens the row of an execution without one. */
export const openRow =
  (jobId: string): Match =>
  (call) =>
    call.operation === 'PutItem' && on('executions', call) && call.text.includes(jobId);

/** The write of the end of an execution. */
export const endRow =
  (jobId: string, status: TerminalStatus): Match =>
  (call) =>
    call.operation === 'UpdateItem' &&
    on('executions', call) &&
    call.text.includes(jobId) &&
    call.text.includes(`":status":{"S":"${status}"}`);

/** The write that cancels or pauses a job. */
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

/** The commit of the watcher's cursor after a slot. */
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

/** The delivery of a message of this job. */
export const handsOut =
  (jobId: string) =>
  ({ operation, answer }: Seen): boolean =>
    operation === 'ReceiveMessage' && answer !== undefined && answer.includes(jobId);

/** The return of a message to the queue. */
export const handsBack = ({ operation, text }: Seen): boolean =>
  operation === 'ChangeMessageVisibilityBatch' && text.includes('"VisibilityTimeout":0');
