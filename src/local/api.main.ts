// `npm run api`: the API in a process of its own.
import type { ApiHandler } from '../api/http/http-event.ts';
import { findScriptMode } from '../tasks/script/script-mode.ts';
import { localLog, newIdentity, startLocalApi } from './components.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { findEngines } from './engines.ts';
import { startHttpServer } from './http-server.ts';
import { refuseUnknownVariables } from './known-variables.ts';
import { runProcess } from './process-lifecycle.ts';
import { recordApiUrl } from './scheduler-ports.ts';
import { handleHelp } from './usage.ts';

await runProcess(async (lifecycle) => {
  handleHelp(
    'npm run api',
    'Runs the REST API. Requires the engines of `npm run start:aws` or `npm run engines`, or AWS_ENDPOINT_URL.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const log = localLog(config, 'api');
  const api = Promise.withResolvers<ApiHandler>();
  const server = await startHttpServer(config.port, api.promise, log, config.host);
  const backend = await connect(config, await findEngines(config), lifecycle, log);
  lifecycle.defer(() => server.stop());
  const scripts = await findScriptMode(config);
  console.log(scripts.summary);
  const identity = await newIdentity(config.dataFolder);
  api.resolve(await startLocalApi(config, backend, scripts, identity, lifecycle));
  recordApiUrl(config.dataFolder, server.url, lifecycle);
  console.log(`The API listens on ${server.url}`);
  console.log('A link to the console: npm run -s token -- <user> --link');
});
