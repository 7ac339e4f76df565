export interface StartupMessage {
  readonly url: string;
  /** The link to the console, with a token. Undefined: the message has the command that prints a link. */
  readonly link: string | undefined;
  readonly dataFolder: string;
  /** The place of the data, and the properties of this server that users should know. */
  readonly details: readonly string[];
}

/** The lines that a started server prints: its address, the console, its data, and commands to try. */
export function startupMessage({ url, link, dataFolder, details }: StartupMessage): string {
  const token = (options: string) => `npx punctual token me ${options}--data ${quoted(dataFolder)}`;
  const console = link
    ? `Console, as the operator "me" for 12 hours: ${link}`
    : `A link to the console, as the operator "me": ${token('--operator --link ')}`;
  return `Punctual listens on ${url} (Ctrl-C stops it)
${console}
${details.join('\n')}

A token for the user "me", a job that runs in three seconds, and the list of jobs.
To print a token for another user: npx punctual token <user>

TOKEN=$(${token('')})
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{ "name": "hello", "task": "noop", "schedule": { "in": "PT3S" } }'
curl -sS ${url}/jobs -H "authorization: Bearer $TOKEN"
`;
}

/** A path as one word of a shell. */
function quoted(path: string): string {
  if (/^[\w./:@+,-]+$/.test(path)) return path;
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}
