// `npm run watcher`: a watcher alone. Several may run: they share the shards by their leases.
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { findEngines } from './engines.ts';
import { localLog, startLocalWatcher } from './parts.ts';
import { run } from './run.ts';
import { answerHelp } from './usage.ts';
import { refuseUnknownVariables } from './variables.ts';

await run(async (running) => {
  answerHelp(
    'npm run watcher',
    'Runs the watcher on the engines of `npm run start:aws` or `npm run engines`, or behind AWS_ENDPOINT_URL.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const { ctx } = await connect(config, await findEngines(config), running, localLog(config, 'watcher'));
  startLocalWatcher(ctx, running);
  console.log(`the watcher looks after ${config.settings.shards} shards`);
});
