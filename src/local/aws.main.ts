// `npm run start:aws`: everything in one process on dynoxide and fauxqs, which speak DynamoDB's and SQS's APIs. Other
// processes (`npm run api | watcher | worker`) can join it.
import { readLocalConfig } from './config.ts';
import { openOnEngines } from './on-engines.ts';
import { run } from './run.ts';
import { serve } from './serve.ts';
import { answerHelp } from './usage.ts';
import { refuseUnknownVariables } from './variables.ts';

await run(async (running) => {
  answerHelp(
    'npm run start:aws',
    'Runs the whole scheduler in this process on dynoxide and fauxqs, which speak the APIs of DynamoDB and SQS (Linux x64).',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  await serve(config, running, { command: 'npm run start:aws', open: openOnEngines });
});
