export interface StartupMessage {
  readonly url: string;
  /** The link to the console, with a token. */
  readonly link: string;
  readonly token: string;
  /** The place of the data, and the properties of this server that users should know. */
  readonly details: readonly string[];
}

/** The lines that a started server prints: its address, the console, its data, and commands to try. */
export function startupMessage({ url, link, token, details }: StartupMessage): string {
  return `Punctual listens on ${url} (Ctrl-C stops it)
Console, as the operator "me" for 12 hours: ${link}
${details.join('\n')}

A token for the user "me", a job that runs in three seconds, and the list of jobs.
To print a token for another user: npx punctual token <user>

TOKEN=${token}
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{ "name": "hello", "task": "noop", "schedule": { "in": "PT3S" } }'
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN"
`;
}
