// What a person sees when local mode has started: where it is, and something to paste that works.
export function welcome(url: string, told: readonly string[], token: string): string {
  return `Punctual listens on ${url} (Ctrl-C stops it)
${told.join('\n')}

A token for the user "me" (more with: npm run -s token -- <user>), a job that runs in three seconds, and its record:

TOKEN=${token}
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{ "name": "hello", "task": "noop", "schedule": { "in": "PT3S" } }'
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN"
`;
}
