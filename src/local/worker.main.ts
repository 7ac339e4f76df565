// `npm run worker`: a worker in a process of its own. Any number of workers may run.
import { findScriptMode } from '../tasks/script/script-mode.ts';
import { localLog, startLocalNotifier, startLocalWorker } from './components.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { findEngines } from './engines.ts';
import { refuseUnknownVariables } from './known-variables.ts';
import { runProcess } from './process-lifecycle.ts';
import { handleHelp } from './usage.ts';

await runProcess(async (lifecycle) => {
  handleHelp(
    'npm run worker',
    'Runs a worker. Requires the engines of `npm run start:aws` or `npm run engines`, or AWS_ENDPOINT_URL.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const backend = await connect(config, await findEngines(config), lifecycle, localLog(config, 'worker'));
  startLocalNotifier(config, backend, lifecycle);
  const scripts = await findScriptMode(config);
  console.log(scripts.summary);
  console.log(`The worker ${await startLocalWorker(config, backend, scripts, lifecycle)} waits for jobs`);
});
