// A request of the page as a command: with curl, or with the command line of Punctual.
export interface RequestText {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** `$PUNCTUAL_TOKEN` stands for the token, so that a copied command has no secret. */
export function curlText(request: RequestText, origin: string): string {
  const { method = 'GET', path, query = {}, headers = {}, body } = request;
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  ).toString();
  const parts = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellWord(`${origin}${path}${search && `?${search}`}`)}`,
    '-H "authorization: Bearer $PUNCTUAL_TOKEN"',
    ...Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${shellWord(JSON.stringify(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** The command line with words quoted where a shell needs it. Undefined words are left out. */
export const cliText = (...words: readonly (string | undefined)[]): string =>
  ['punctual', ...words.filter((word) => word !== undefined).map(shellWord)].join(' ');

/** The server of the command line if it is given no other. */
const DEFAULT_SERVER = 'http://127.0.0.1:3000';

/** The command for the server of the page. */
export const cliFor = (command: string, origin: string): string =>
  origin === DEFAULT_SERVER ? command : `PUNCTUAL_URL=${shellWord(origin)} ${command}`;

/** A command that reads JSON from its standard input. */
export const withInput = (command: string, value: unknown): string =>
  `${command} <<'JSON'\n${JSON.stringify(value, undefined, 2)}\nJSON`;

export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
