// A whole server in this process: API, watcher, worker and notifier, on the backend that is given.
import type { ApiHandler } from '../api/http/http-event.ts';
import type { Log } from '../scheduling/context.ts';
import { findScriptMode } from '../tasks/script/script-mode.ts';
import type { LocalConfig } from './config.ts';
import type { Backend } from './connect.ts';
import { ownDataFolder } from './data-folder.ts';
import { announceApi } from './own-ports.ts';
import { localLog, startLocalApi, startLocalNotifier, startLocalWatcher, startLocalWorker } from './parts.ts';
import type { Running } from './run.ts';
import { startServer } from './server.ts';
import { signToken, tokenKey } from './tokens.ts';
import { welcome } from './welcome.ts';

export interface Serving {
  /** Names this process where another one finds the data folder in use. */
  readonly command: string;
  /** Opens the backend. By then this process owns the data folder and the port. */
  open(config: LocalConfig, running: Running, log: Log): Promise<Opened>;
}

export interface Opened {
  readonly backend: Backend;
  /** Sentences about where the data is, for the person who starts the server. */
  readonly told: readonly string[];
}

export async function serve(config: LocalConfig, running: Running, serving: Serving): Promise<void> {
  const log = localLog(config, 'start');
  // checks come first, so that a refused start leaves nothing running
  ownDataFolder(config, running, serving.command);
  const scripts = await findScriptMode(config);
  const api = Promise.withResolvers<ApiHandler>();
  const server = await startServer(config.port, api.promise, log);
  announceApi(config.dataFolder, server.url, running);

  const { backend, told } = await serving.open(config, running, log);
  // stopped in reverse: no new requests, then no new dispatches, then the worker drains while its store still answers
  startLocalNotifier(config, backend, running);
  await startLocalWorker(config, backend, scripts, running);
  startLocalWatcher(backend.ctx, running);
  running.defer(() => server.stop());
  api.resolve(await startLocalApi(config, backend, scripts, running));

  const token = await signToken(await tokenKey(config.dataFolder), 'me');
  console.log(welcome(server.url, [...told, scripts.summary], token));
}
