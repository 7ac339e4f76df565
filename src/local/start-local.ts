// `npm start`: a whole server in this process, on SQLite, or on the tables and queues behind AWS_ENDPOINT_URL.

import { startAllInOne } from './all-in-one.ts';
import { readLocalConfig } from './config.ts';
import { EMBEDDED_COMMAND } from './data-folder-owner.ts';
import { refuseUnknownVariables } from './known-variables.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';

export async function startLocal(lifecycle: ProcessLifecycle): Promise<void> {
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  if (config.external) {
    // the import is dynamic, so that an embedded server does not load the SDK clients of DynamoDB and SQS
    const { openEnginesBackend } = await import('./engines-backend.ts');
    await startAllInOne(config, lifecycle, {
      command: 'npm start with AWS_ENDPOINT_URL',
      openBackend: openEnginesBackend,
    });
  } else {
    const { openEmbeddedBackend } = await import('./embedded-backend.ts');
    await startAllInOne(config, lifecycle, { command: EMBEDDED_COMMAND, openBackend: openEmbeddedBackend });
  }
}
