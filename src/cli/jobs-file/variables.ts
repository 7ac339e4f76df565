// Variables in the values of a jobs file: ${VAR}, and ${VAR:-default} if VAR is not set or empty. $${VAR} is the text itself.

/** The last alternative is any other text that begins as a variable does. A brace in a default would end it too early. */
const VARIABLE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}|\$\{[^}]*\}?/g;

/** Names of variables that often hold a credential of the machine or of CI, which whoever writes a jobs file must not get. */
const CREDENTIAL =
  /^(?:AWS|PUNCTUAL|ACTIONS|AZURE|GOOGLE)_|(?:^|_)(?:\w*TOKEN|\w*SECRETS?|\w*PASSWORD|PASSWD|CREDENTIALS?|PAT|(?:API|ACCESS|PRIVATE|SSH)_?KEY)(?:_|$)/i;

export interface Replaced {
  readonly text: string;
  /** The variables that may hold a credential, and that nobody has allowed. They are not read. */
  readonly refused: readonly string[];
  /** The variables that are not set and have no default. */
  readonly missing: readonly string[];
  /** Texts that begin as a variable does, and are none. */
  readonly malformed: readonly string[];
  /** Whether the whole text was one variable. */
  readonly isWhole: boolean;
}

export function replaceVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Replaced {
  const refused: string[] = [];
  const missing: string[] = [];
  const malformed: string[] = [];
  const replaced = text.replace(VARIABLE, (found: string, name?: string, fallback?: string) => {
    if (found === '$${') return '${';
    if (name === undefined) {
      malformed.push(found);
      return found;
    }
    if (CREDENTIAL.test(name) && !allowed.includes(name)) {
      refused.push(name);
      return found;
    }
    const value = env[name];
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (value === undefined) missing.push(name);
    return value ?? found;
  });
  return {
    text: replaced,
    refused,
    missing,
    malformed,
    isWhole: /^\$\{[^}]*\}$/.test(text) && replaced !== text,
  };
}

/** The number or boolean that a text means in YAML. Undefined if it is neither. */
export function scalarOf(text: string): number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
