// Variables in the values of a jobs file: ${VAR}, and ${VAR:-default} if VAR is not set or empty. $${VAR} is the text itself.

const VARIABLE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export interface Replaced {
  readonly text: string;
  /** The variables that are not set and have no default. */
  readonly missing: readonly string[];
  /** Whether the whole text was one variable. */
  readonly isWhole: boolean;
}

export function replaceVariables(text: string, env: Readonly<Record<string, string | undefined>>): Replaced {
  const missing: string[] = [];
  const replaced = text.replace(VARIABLE, (found: string, name?: string, fallback?: string) => {
    if (name === undefined) return '${';
    const value = env[name];
    if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
    if (value === undefined) missing.push(name);
    return value ?? found;
  });
  return { text: replaced, missing, isWhole: /^\$\{[^}]*\}$/.test(text) && replaced !== text };
}

/** The number or boolean that a text means in YAML. Undefined if it is neither. */
export function scalarOf(text: string): number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
