// `npm run engines`: dynoxide and fauxqs in a process of their own, for `npm run api | watcher | worker`.

import { localLog } from './components.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { ownDataFolder, refuseEmbeddedOwner } from './data-folder-owner.ts';
import { NO_ACCESS_CONTROL, startEngines } from './engines.ts';
import { refuseUnknownVariables } from './known-variables.ts';
import { runProcess } from './process-lifecycle.ts';
import { refillQueue } from './refill-queue.ts';
import { handleHelp } from './usage.ts';

await runProcess(async (lifecycle) => {
  handleHelp(
    'npm run engines',
    'Runs only dynoxide (DynamoDB API) and fauxqs (SQS API), for `npm run api`, `npm run watcher` and `npm run worker`.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const log = localLog(config, 'engines');
  refuseEmbeddedOwner(config.dataFolder);
  ownDataFolder(config, lifecycle, 'npm run engines');
  const endpoints = await startEngines(config, lifecycle, log);
  const { ctx } = await connect(config, endpoints, lifecycle, log);
  if (!config.external) await refillQueue(ctx);
  console.log(
    `DynamoDB API at ${endpoints.dynamodb}, SQS API at ${endpoints.sqs} (data in ${config.dataFolder})`,
  );
  if (!config.external) console.log(NO_ACCESS_CONTROL);
});
