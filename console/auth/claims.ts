// The claims of an access token, for display only. The server decides what a user may do.
export interface User {
  readonly id: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** The end of the token, in epoch milliseconds. Undefined if the token has none. */
  readonly expiresAt: number | undefined;
}

/** Undefined if the text is not a JSON Web Token with a `sub`. */
export function userOf(token: string): User | undefined {
  const claims = claimsOf(token);
  const { sub, exp } = claims;
  if (typeof sub !== 'string' || sub === '') return undefined;
  const name = [claims.name, claims.email, claims.preferred_username, claims.username].find(isText) ?? sub;
  return {
    id: sub,
    name,
    groups: [...listOf(claims['cognito:groups']), ...listOf(claims.groups)],
    expiresAt: typeof exp === 'number' ? exp * 1000 : undefined,
  };
}

function claimsOf(token: string): Record<string, unknown> {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A text is the name of one group: "network operators" does not make an operator. */
function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter(isText);
  return isText(value) ? [value] : [];
}
