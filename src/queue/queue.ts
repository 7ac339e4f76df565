// What the use cases may ask of the queue. A message only says "look at this now": a lost, doubled, early or late
// one can neither lose nor double a run. Implementations: `sqs.ts`; the simulator has one in memory.
import type { DueKey } from '../domain/executions/ids.ts';

export interface Message {
  readonly jobId: string;
  readonly due: DueKey;
  /** Of the schedule, or MANUAL. */
  readonly revision: string;
  /** Not before this; the due time plus jitter, or the time of the next attempt. */
  readonly fireAt: number;
  readonly enqueuedAt: number;
  /** `ownerHash` of the job's user. Absent in messages of earlier versions, and where the sender did not read the head. */
  readonly owner?: string;
  /** The trace that it belongs to, as X-Ray's header has it. */
  readonly trace?: string;
}

/** Beyond this SQS cannot delay. */
export const MAX_DELAY_MS = 900_000;

export interface Queue {
  /** Each message becomes visible shortly before its fireAt (at once if that is past). Returns when all are sent. */
  send(messages: readonly Message[]): Promise<void>;
}

/** The worker's side. */
export interface Received {
  /** What was received; `undefined` when the body is no message of ours. */
  readonly message: Message | undefined;
  readonly body: string;
  readonly receivedAt: number;
  /** How often it was handed out, this time included; roughly. */
  readonly receiveCount?: number;
  delete(): Promise<void>;
  /** Hides it for so long from now; 0 hands it back at once. */
  setVisibility(ms: number): Promise<void>;
  /** Moves it to the dead-letter queue. */
  deadLetter(reason: string): Promise<void>;
}

export interface Receiver {
  /** Long poll; empty when nothing came or the signal was aborted. */
  receive(max: number, signal: AbortSignal): Promise<Received[]>;
}
