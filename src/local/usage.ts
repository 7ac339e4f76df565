// `--help` of the npm scripts that take no arguments. An argument that nobody reads would be a silent mistake, so it is refused.
import { StartError } from './run.ts';

const VARIABLES = `Settings are environment variables (PUNCTUAL_PORT, PUNCTUAL_DATA, PUNCTUAL_LOG, …): docs/local.md lists them all.`;

/** Prints the help and ends the process when it was asked for. Throws StartError for any other argument. */
export function answerHelp(command: string, what: string, args = process.argv.slice(2)): void {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    console.log(`usage: ${command}\n\n${what}\n\n${VARIABLES}`);
    process.exit(0);
  }
  if (args.length > 0)
    throw new StartError(`${command} takes no arguments, got "${args.join(' ')}". ${VARIABLES}`);
}
