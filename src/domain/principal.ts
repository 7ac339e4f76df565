// Who asks.
export interface Principal {
  readonly userId: string;
  /** Sees, and may act on, what all users have. */
  readonly operator: boolean;
}

export const asUser = (userId: string): Principal => ({ userId, operator: false });
