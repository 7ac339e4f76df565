// `npm run start:aws`: a whole server in this process on dynoxide and fauxqs, the local engines with the DynamoDB and SQS APIs.
// Other processes (`npm run api | watcher | worker`) can use the same engines.

import { startAllInOne } from './all-in-one.ts';
import { readLocalConfig } from './config.ts';
import { openEnginesBackend } from './engines-backend.ts';
import { refuseUnknownVariables } from './known-variables.ts';
import { runProcess } from './process-lifecycle.ts';
import { handleHelp } from './usage.ts';

await runProcess(async (lifecycle) => {
  handleHelp(
    'npm run start:aws',
    'Runs the whole scheduler in this process on dynoxide (DynamoDB API) and fauxqs (SQS API). Linux x64 only.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  await startAllInOne(config, lifecycle, { command: 'npm run start:aws', openBackend: openEnginesBackend });
});
