// The outcome of a message of the notify queue.
export type MessageOutcome =
  /** The message is deleted. */
  | { readonly kind: 'done' }
  /** The message becomes visible again after `ms`. */
  | { readonly kind: 'later'; readonly ms: number }
  /** The message moves to the dead-letter queue, with the reason. */
  | { readonly kind: 'never'; readonly reason: string };

export const DONE: MessageOutcome = { kind: 'done' };
