// `npm run -s token -- <user> [--operator]`: prints an access token for local mode.
import { parseArgs } from 'node:util';
import { readLocalConfig } from './config.ts';
import { StartError } from './start-error.ts';
import { localToken } from './tokens.ts';

const USAGE = `usage: npm run -s token -- <user> [--operator]

Prints an access token for local mode, valid for 30 days.

  --operator  the token may read and change the jobs of all users`;

try {
  const { user, operator } = readArguments();
  const { dataFolder } = readLocalConfig(process.env);
  console.log(await localToken(dataFolder, user, operator, process.env));
} catch (error) {
  console.error(`punctual: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function readArguments(): { user: string; operator: boolean } {
  const { values, positionals } = parseArgs({
    options: {
      operator: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const [user, ...more] = positionals;
  if (!user || more.length > 0) throw new StartError(USAGE);
  if (user.length > 256) throw new StartError(`<user> must have at most 256 characters, got ${user.length}`);
  return { user, operator: values.operator };
}
