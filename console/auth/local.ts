// The login of local mode: the token comes with a link and stays in this tab.
import { createValue } from '../state/value.ts';
import type { Auth, AuthState } from './auth.ts';
import { type User, userOf } from './claims.ts';
import { tokenInFragment } from './token-fragment.ts';

const KEY = 'punctual.token';
const RETURN_TO = 'punctual.returnTo';

/** The token of a link for another user than that of the session. */
let offered: string | undefined;

/**
 * Moves the token of the address into the storage of the tab. Called before the first render, so that no other code sees it. A link of
 * somebody else must not replace a session silently, so the user is asked first.
 */
export function takeTokenFromAddress(): void {
  const found = tokenInFragment(location.hash);
  if (!found) return;
  const user = sessionUser();
  if (user !== undefined && userOf(found.token)?.id !== user.id) {
    offered = found.token;
    history.replaceState(history.state, '', location.pathname + location.search + found.rest);
    return;
  }
  sessionStorage.setItem(KEY, found.token);
  // A link leads to the first page. The page that needed the login is shown again.
  const returnTo = location.pathname === '/console/' ? sessionStorage.getItem(RETURN_TO) : null;
  sessionStorage.removeItem(RETURN_TO);
  history.replaceState(history.state, '', returnTo ?? location.pathname + location.search + found.rest);
}

/** Undefined if no user is logged in. */
function sessionUser(): User | undefined {
  const token = sessionStorage.getItem(KEY);
  const user = token === null ? undefined : userOf(token);
  return user?.expiresAt !== undefined && user.expiresAt <= Date.now() ? undefined : user;
}

export function localAuth(): Auth {
  const stored = () => sessionStorage.getItem(KEY) ?? undefined;
  const state = createValue<AuthState>(stored() === undefined ? 'none' : 'loggedIn');
  const end = (next: AuthState) => {
    sessionStorage.removeItem(KEY);
    state.set(next);
  };
  // A link that is opened in a tab with the console changes the fragment only, and loads no page. Any page that has opened this tab
  // can do so, so a session is never replaced.
  addEventListener('hashchange', () => {
    const found = tokenInFragment(location.hash);
    if (!found) return;
    if (sessionUser() === undefined) {
      takeTokenFromAddress();
      location.reload();
    } else history.replaceState(history.state, '', location.pathname + location.search + found.rest);
  });
  return {
    kind: 'local',
    state,
    offered: () => {
      const token = offered;
      if (token === undefined) return undefined;
      return {
        userId: userOf(token)?.id ?? 'an unknown user',
        accept() {
          sessionStorage.setItem(KEY, token);
          location.reload();
        },
      };
    },
    user: () => {
      const token = stored();
      return token === undefined ? undefined : userOf(token);
    },
    token: async () => stored(),
    login: async () => {
      // The fragment has the draft of a form.
      const here = location.pathname + location.search + location.hash;
      if (here !== '/console/') sessionStorage.setItem(RETURN_TO, here);
    },
    logout: () => end('loggedOut'),
    refused: () => end('expired'),
  };
}
