// A whole server in this process: on a SQLite file of the data folder, or on the tables and queues behind AWS_ENDPOINT_URL.
import { readLocalConfig } from './config.ts';
import { EMBEDDED_COMMAND } from './data-folder.ts';
import type { Running } from './run.ts';
import { serve } from './serve.ts';
import { refuseUnknownVariables } from './variables.ts';

export async function start(running: Running): Promise<void> {
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
}
