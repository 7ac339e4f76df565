// `npm run -s signing-key -- <user>`: prints the keys that sign a user's HTTP requests in local mode.
import { readLocalConfig } from './config.ts';
import { localSigningKeys } from './local-signing-keys.ts';

const USAGE = `usage: npm run -s signing-key -- <user>

Prints the keys that sign the HTTP requests of this user's jobs in local mode, as JSON for \`verifySignature\`.`;

const [user, ...more] = process.argv.slice(2);
if (user === '--help' || user === '-h') {
  console.log(USAGE);
  process.exit(0);
}
if (!user || user.startsWith('-') || more.length > 0) {
  console.error(USAGE);
  process.exit(1);
}
const { dataFolder } = readLocalConfig(process.env);
const keys = await localSigningKeys(dataFolder, user);
console.log(JSON.stringify(keys, undefined, 2));
