/** The lines that a started server prints: its address, its data, and commands to try. */
export function startupMessage(url: string, details: readonly string[], token: string): string {
  return `Punctual listens on ${url} (Ctrl-C stops it)
${details.join('\n')}

A token for the user "me", a job that runs in three seconds, and the list of jobs.
To print a token for another user: npx punctual token <user>

TOKEN=${token}
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{ "name": "hello", "task": "noop", "schedule": { "in": "PT3S" } }'
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN"
`;
}
