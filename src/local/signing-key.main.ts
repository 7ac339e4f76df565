// `node src/local/signing-key.main.ts <user>`: prints the keys that the user's requests are signed with in local mode, as
// `verifySignature` takes them.
import { derivedKeys } from '../tasks/signing-keys.ts';
import { readLocalConfig } from './config.ts';
import { readMasterKeys } from './key-files.ts';

const [user, ...more] = process.argv.slice(2);
if (!user || more.length > 0) {
  console.error('usage: node src/local/signing-key.main.ts <user>');
  process.exit(1);
}
const { dataFolder } = readLocalConfig(process.env);
const keys = await derivedKeys(async () => readMasterKeys(dataFolder)).keysOf(user);
console.log(JSON.stringify(keys, undefined, 2));
