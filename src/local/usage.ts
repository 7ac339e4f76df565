// `--help` of the npm scripts that take no arguments. Any other argument is an error, because it would have no effect.
import { StartError } from './start-error.ts';

const VARIABLES = `Configure it with environment variables such as PUNCTUAL_PORT, PUNCTUAL_DATA and PUNCTUAL_LOG. docs/local.md lists all of them.`;

/** Prints the help and ends the process if `args` has --help. Throws StartError for any other argument. */
export function handleHelp(command: string, description: string, args = process.argv.slice(2)): void {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    console.log(`usage: ${command}\n\n${description}\n\n${VARIABLES}`);
    process.exit(0);
  }
  if (args.length > 0)
    throw new StartError(`${command} takes no arguments, got "${args.join(' ')}". ${VARIABLES}`);
}
