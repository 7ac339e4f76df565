// The keys that sign the HTTP requests of a user's jobs in local mode.
import { derivedKeys } from '../tasks/http/signing-keys.ts';
import { readMasterKeys } from './key-files.ts';
import { requirePrivateFolder } from './private-folder.ts';

/** For `verifySignature`. The file of keys in the data folder is created if it does not exist. */
export const localSigningKeys = (dataFolder: string, userId: string) =>
  derivedKeys(async () => {
    requirePrivateFolder(dataFolder);
    return readMasterKeys(dataFolder);
  }).keysOf(userId);
