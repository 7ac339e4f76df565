// A misspelt PUNCTUAL_* variable stops the start. Otherwise its default would apply without a warning.
import { apiVariables } from '../api/config.ts';
import { closest } from '../domain/validation/closest.ts';
import { notifierVariables } from '../notifier/config.ts';
import { ConfigError, type Environment, settingVariables, storeVariables } from '../runtime/config.ts';
import { publishingVariables } from '../runtime/publishing.ts';
import { taskVariables } from '../tasks/task-settings.ts';
import { workerVariables } from '../worker/config.ts';
import { localVariables } from './config.ts';

/** Variables of the command line, the tests and the benchmarks. */
const ELSEWHERE = [
  'PUNCTUAL_URL',
  'PUNCTUAL_TOKEN',
  'PUNCTUAL_BENCH_STARTS',
  'PUNCTUAL_REQUIRE_BWRAP',
  'PUNCTUAL_CHROMIUM',
];

export const KNOWN_VARIABLES: readonly string[] = [
  ...[localVariables, apiVariables, notifierVariables, taskVariables, publishingVariables, workerVariables],
  storeVariables,
]
  .flatMap((schema) => Object.keys(schema.shape))
  .concat(settingVariables, ELSEWHERE)
  .filter((name) => name.startsWith('PUNCTUAL_'));

/** Throws ConfigError, which suggests the known variable with the most similar name. */
export function refuseUnknownVariables(env: Environment): void {
  const known = new Set(KNOWN_VARIABLES);
  const unknown = Object.keys(env).filter((name) => name.startsWith('PUNCTUAL_') && !known.has(name));
  if (unknown.length === 0) return;
  const lines = unknown.sort().map((name) => {
    const meant = closest(name, KNOWN_VARIABLES);
    return `${name} is not a known variable${meant ? `; did you mean ${meant}?` : '.'}`;
  });
  throw new ConfigError(`${lines.join('\n')} docs/local.md lists all variables.`);
}
