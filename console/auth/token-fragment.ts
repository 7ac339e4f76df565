// The token in the fragment of a local link: `/console/#token=…`. The fragment never reaches the server.

/** The token, and the address without it. Undefined if the fragment has no token. */
export function tokenInFragment(hash: string): { token: string; rest: string } | undefined {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const token = params.get('token');
  if (!token) return undefined;
  params.delete('token');
  const rest = params.toString();
  return { token, rest: rest === '' ? '' : `#${rest}` };
}
