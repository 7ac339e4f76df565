// The authenticated caller of a request.
export interface Principal {
  readonly userId: string;
  /** An operator may read and change the jobs of all users. */
  readonly operator: boolean;
}

export const asUser = (userId: string): Principal => ({ userId, operator: false });
