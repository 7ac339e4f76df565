// `npm run worker`: a worker alone. As many as you like run side by side.
import { findScriptMode } from '../tasks/script/script-mode.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { findEngines } from './engines.ts';
import { localLog, startLocalNotifier, startLocalWorker } from './parts.ts';
import { run } from './run.ts';
import { answerHelp } from './usage.ts';
import { refuseUnknownVariables } from './variables.ts';

await run(async (running) => {
  answerHelp(
    'npm run worker',
    'Runs a worker on the engines of `npm run start:aws` or `npm run engines`, or behind AWS_ENDPOINT_URL.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const backend = await connect(config, await findEngines(config), running, localLog(config, 'worker'));
  startLocalNotifier(config, backend, running);
  const scripts = await findScriptMode(config);
  console.log(scripts.summary);
  console.log(`the worker ${await startLocalWorker(config, backend, scripts, running)} waits for jobs`);
});
