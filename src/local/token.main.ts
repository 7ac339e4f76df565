// `npm run -s token -- <user> [--operator] [--link]`: prints an access token for local mode, or a link to the console.
import { parseArgs } from 'node:util';
import { readLocalConfig } from './config.ts';
import { localConsoleLink } from './console-link.ts';
import { StartError } from './start-error.ts';
import { localToken } from './tokens.ts';

const USAGE = `usage: npm run -s token -- <user> [--operator] [--link]

Prints an access token for local mode, valid for 30 days.

  --operator  the token may read and change the jobs of all users
  --link      print a link to the console instead, with a token that is valid for 12 hours,
              and until the server stops`;

try {
  const { user, operator, link } = readArguments();
  const { dataFolder } = readLocalConfig(process.env);
  const print = link ? localConsoleLink : localToken;
  console.log(await print(dataFolder, user, operator, process.env));
} catch (error) {
  console.error(`punctual: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function readArguments(): { user: string; operator: boolean; link: boolean } {
  const { values, positionals } = parseArgs({
    options: {
      operator: { type: 'boolean', default: false },
      link: { type: 'boolean', default: false },
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
  return { user, operator: values.operator, link: values.link };
}
