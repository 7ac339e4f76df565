// `npm run watcher`: a watcher in a process of its own. Several watchers share the shards by leases.

import { localLog, startLocalWatcher } from './components.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { findEngines } from './engines.ts';
import { refuseUnknownVariables } from './known-variables.ts';
import { runProcess } from './process-lifecycle.ts';
import { handleHelp } from './usage.ts';

await runProcess(async (lifecycle) => {
  handleHelp(
    'npm run watcher',
    'Runs a watcher. Requires the engines of `npm run start:aws` or `npm run engines`, or AWS_ENDPOINT_URL.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const { ctx } = await connect(config, await findEngines(config), lifecycle, localLog(config, 'watcher'));
  startLocalWatcher(ctx, lifecycle);
  console.log(`The watcher has started with ${config.settings.shards} shards`);
});
