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
  /** X-Ray's trace header. */
  readonly trace?: string;
}

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
  delete(): Promise<void>;
  /** Hides the message for `ms` from now on. With 0 it is visible at once. */
  setVisibility(ms: number): Promise<void>;
  /** Moves it to the dead-letter queue. */
  deadLetter(reason: string): Promise<void>;
}

export interface Receiver {
  /** A long poll. Empty if no message arrived or the signal was aborted. */
  receive(max: number, signal: AbortSignal): Promise<Received[]>;
}
