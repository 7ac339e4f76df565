// `npm start`: everything in one process (and dynoxide beside it), with nothing but npm.
import type { ApiHandler } from '../api/handler.ts';
import { findScriptMode } from '../tasks/script-mode.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { ownDataFolder, startEngines } from './engines.ts';
import { announceApi } from './own-ports.ts';
import { localLog, startLocalApi, startLocalNotifier, startLocalWatcher, startLocalWorker } from './parts.ts';
import { refillQueue } from './refill.ts';
import { run } from './run.ts';
import { startServer } from './server.ts';
import { signToken, tokenKey } from './tokens.ts';
import { refuseUnknownVariables } from './variables.ts';
import { welcome } from './welcome.ts';

await run(async (running) => {
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const log = localLog(config, 'start');
  // what can be in the way is found out before anything is started
  await ownDataFolder(config, running, 'npm start');
  const scripts = await findScriptMode(config);
  const api = Promise.withResolvers<ApiHandler>();
  const server = await startServer(config.port, api.promise, log);
  announceApi(config.dataFolder, server.url, running);

  const engines = await startEngines(config, running, log);
  const backend = await connect(config, engines, running, log, config.external ? 'answers' : 'own');
  if (!config.external) await refillQueue(backend.ctx);
  // stopped in reverse: no new requests, then no new dispatches, then the worker drains while its tables still answer
  startLocalNotifier(config, backend, running);
  await startLocalWorker(config, backend, scripts, running);
  startLocalWatcher(backend.ctx, running);
  running.defer(() => server.stop());
  api.resolve(await startLocalApi(config, backend, scripts, running));

  const token = await signToken(await tokenKey(config.dataFolder), 'me');
  console.log(welcome(server.url, config.dataFolder, scripts.told, token));
});
