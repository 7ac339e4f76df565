// The login of local mode: the token comes with a link and stays in this tab.
import { createValue } from '../state/value.ts';
import type { Auth, AuthState } from './auth.ts';
import { userOf } from './claims.ts';
import { tokenInFragment } from './token-fragment.ts';

const KEY = 'punctual.token';
const RETURN_TO = 'punctual.returnTo';

/**
 * Moves the token of the address into the storage of the tab. Called before the first render, so that no other code sees it. False if
 * the address has none.
 */
export function takeTokenFromAddress(): boolean {
  const found = tokenInFragment(location.hash);
  if (!found) return false;
  sessionStorage.setItem(KEY, found.token);
  // A link leads to the first page. The page that needed the login is shown again.
  const returnTo = location.pathname === '/console/' ? sessionStorage.getItem(RETURN_TO) : null;
  sessionStorage.removeItem(RETURN_TO);
  history.replaceState(history.state, '', returnTo ?? location.pathname + location.search + found.rest);
  return true;
}

export function localAuth(): Auth {
  const stored = () => sessionStorage.getItem(KEY) ?? undefined;
  const state = createValue<AuthState>(stored() === undefined ? 'none' : 'loggedIn');
  const end = (next: AuthState) => {
    sessionStorage.removeItem(KEY);
    state.set(next);
  };
  // A link that is opened in a tab with the console changes the fragment only, and loads no page.
  addEventListener('hashchange', () => {
    if (takeTokenFromAddress()) location.reload();
  });
  return {
    kind: 'local',
    state,
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
