// The login of a user. There is one implementation for local mode and one for OpenID Connect.
import { createContext, useContext } from 'react';
import type { Value } from '../state/value.ts';
import type { User } from './claims.ts';
import { type ConsoleConfig, DEFAULT_OPERATORS_GROUP } from './config.ts';

/** `expired`: the server refused the token. `refused`: it refused the next one, too. `loggedOut`: the user asked for it. */
export type AuthState = 'loggedIn' | 'none' | 'expired' | 'refused' | 'loggedOut';

export interface Auth {
  readonly kind: ConsoleConfig['auth']['kind'];
  readonly state: Value<AuthState>;
  /** Undefined if no user is logged in. */
  user(): User | undefined;
  /** The other session that the link offers which opened this page. Undefined if there is none. */
  offered?(): { readonly userId: string; accept(): void } | undefined;
  /** The access token, renewed if it expires soon and can be renewed. */
  token(): Promise<string | undefined>;
  /** Leaves the page for the login and comes back to the present address. In local mode, the page stays and explains how to get a link. */
  login(): Promise<void>;
  logout(): void;
  /** The server answered 401. */
  refused(): void;
}

export interface Session {
  readonly auth: Auth;
  readonly config: ConsoleConfig;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession needs a SessionContext');
  return session;
}

/** For the menu only. The server decides what a user may do. */
export const isOperator = ({ auth, config }: Session): boolean =>
  auth.user()?.groups.includes(config.operatorsGroup ?? DEFAULT_OPERATORS_GROUP) ?? false;
