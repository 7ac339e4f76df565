// The port to the work queue. A message is a hint to look at an execution. A lost, duplicate, early or late message can
// neither lose nor duplicate a run. The implementations are `sqs/` and `in-process/`.
import type { DueKey } from '../domain/executions/ids.ts';

export interface Message {
  readonly jobId: string;
  readonly due: DueKey;
  /** The revision of the schedule, or MANUAL. */
  readonly revision: string;
  /** The earliest start: the due time plus jitter, or the time of the next attempt. */
  readonly fireAt: number;
  readonly enqueuedAt: number;
  /** `ownerHash` of the job's user. Absent in messages of earlier versions, and where the sender did not read the head. */
  readonly owner?: string;
  /** The job has a limit of its concurrency. Absent if it has none, or where the sender did not read the head. */
  readonly keyed?: true;
  /** X-Ray's trace header. */
  readonly trace?: string;
}

/**
 * The group of a message: its owner. Queues and workers are fair among groups. If the sender did not know the owner, the job is a
 * group of its own until a worker has read the head.
 */
export const groupOf = ({ owner, jobId }: Pick<Message, 'owner' | 'jobId'>): string => owner ?? jobId;

/** SQS's maximum delay. */
export const MAX_DELAY_MS = 900_000;

export interface Queue {
  /** Each message becomes visible shortly before its `fireAt`. Returns when all are sent. */
  send(messages: readonly Message[]): Promise<void>;
}

/** A received message. */
export interface Received {
  /** Undefined if the body is not a message of this queue. */
  readonly message: Message | undefined;
  readonly body: string;
  readonly receivedAt: number;
  /** The approximate number of deliveries, this one included. */
  readonly receiveCount?: number;
  /** The number of deliveries after which the queue moves it to the dead-letter queue. Absent if there is no such limit. */
  readonly maxReceives?: number;
  delete(): Promise<void>;
  /** Hides the message for `ms` from now on. With 0 it is visible at once. */
  setVisibility(ms: number): Promise<void>;
  /** Moves it to the dead-letter queue. */
  deadLetter(reason: string): Promise<void>;
}

/** Whether the receiver of messages has room for this one. */
export type Admit = (message: Message) => boolean;

export interface Receiver {
  /**
   * A long poll. Empty if no message arrived or the signal was aborted. A receiver with `recheck` asks `admit` before it hands out
   * a message, and leaves refused messages in the queue. SQS cannot, so the worker returns such messages.
   */
  receive(max: number, signal: AbortSignal, admit?: Admit): Promise<Received[]>;
  /** Asks the `admit` of waiting receives again, after the room has changed. */
  recheck?(): void;
}
