// `npm start`: everything in one process on a SQLite file of the data folder. With AWS_ENDPOINT_URL, on the tables and queues
// behind that endpoint.
import { readLocalConfig } from './config.ts';
import { EMBEDDED_COMMAND } from './data-folder.ts';
import { run } from './run.ts';
import { serve } from './serve.ts';
import { answerHelp } from './usage.ts';
import { refuseUnknownVariables } from './variables.ts';

await run(async (running) => {
  answerHelp(
    'npm start',
    'Runs the whole scheduler in this process: API, watcher, worker and notifier on one SQLite file.\nWith AWS_ENDPOINT_URL, on the DynamoDB tables and SQS queues behind that endpoint.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  if (config.external) {
    // an embedded server does not load the SDK's clients of DynamoDB and SQS
    const { openOnEngines } = await import('./on-engines.ts');
    await serve(config, running, { command: 'npm start with AWS_ENDPOINT_URL', open: openOnEngines });
  } else {
    const { openEmbedded } = await import('./embedded.ts');
    await serve(config, running, { command: EMBEDDED_COMMAND, open: openEmbedded });
  }
});
