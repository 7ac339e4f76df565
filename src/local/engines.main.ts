// `npm run engines`: the tables and queues alone, for `npm run api | watcher | worker` in processes of their own.
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { ownDataFolder, refuseBesideEmbedded } from './data-folder.ts';
import { REACHABLE, startEngines } from './engines.ts';
import { localLog } from './parts.ts';
import { refillQueue } from './refill.ts';
import { run } from './run.ts';
import { answerHelp } from './usage.ts';
import { refuseUnknownVariables } from './variables.ts';

await run(async (running) => {
  answerHelp(
    'npm run engines',
    'Runs dynoxide and fauxqs alone, for `npm run api`, `npm run watcher` and `npm run worker` in processes of their own.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const log = localLog(config, 'engines');
  refuseBesideEmbedded(config.dataFolder);
  ownDataFolder(config, running, 'npm run engines');
  const endpoints = await startEngines(config, running, log);
  const { ctx } = await connect(config, endpoints, running, log);
  if (!config.external) await refillQueue(ctx);
  console.log(
    `DynamoDB API at ${endpoints.dynamodb}, SQS API at ${endpoints.sqs} (data in ${config.dataFolder})`,
  );
  if (!config.external) console.log(REACHABLE);
});
