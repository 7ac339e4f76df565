// `npm run api`: the API alone, on the engines of `npm run engines` or those that AWS_ENDPOINT_URL names.
import type { ApiHandler } from '../api/http/http-event.ts';
import { findScriptMode } from '../tasks/script/script-mode.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { findEngines } from './engines.ts';
import { announceApi } from './own-ports.ts';
import { localLog, startLocalApi } from './parts.ts';
import { run } from './run.ts';
import { startServer } from './server.ts';
import { answerHelp } from './usage.ts';
import { refuseUnknownVariables } from './variables.ts';

await run(async (running) => {
  answerHelp(
    'npm run api',
    'Runs the REST API on the engines of `npm run start:aws` or `npm run engines`, or behind AWS_ENDPOINT_URL.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const log = localLog(config, 'api');
  const api = Promise.withResolvers<ApiHandler>();
  const server = await startServer(config.port, api.promise, log);
  const backend = await connect(config, await findEngines(config), running, log);
  running.defer(() => server.stop());
  const scripts = await findScriptMode(config);
  console.log(scripts.summary);
  api.resolve(await startLocalApi(config, backend, scripts, running));
  announceApi(config.dataFolder, server.url, running);
  console.log(`the API listens on ${server.url}`);
});
