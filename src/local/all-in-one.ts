// A whole server in this process: API, watcher, worker and notifier on one backend.
import type { ApiHandler } from '../api/http/http-event.ts';
import type { Log } from '../scheduling/context.ts';
import { findScriptMode } from '../tasks/script/script-mode.ts';
import type { OpenedBackend } from './backend.ts';
import {
  createTurns,
  localLog,
  startLocalApi,
  startLocalNotifier,
  startLocalWatcher,
  startLocalWorker,
} from './components.ts';
import type { LocalConfig } from './config.ts';
import { consoleLink } from './console-link.ts';
import { ownDataFolder } from './data-folder-owner.ts';
import { startHttpServer } from './http-server.ts';
import type { ProcessLifecycle } from './process-lifecycle.ts';
import { recordApiPort } from './scheduler-ports.ts';
import { startupMessage } from './startup-message.ts';
import { LINK_LIFETIME, localToken } from './tokens.ts';

export interface AllInOneOptions {
  /** The command of this process. The error message of another process that finds the data folder in use has it. */
  readonly command: string;
  /** Opens the backend. By then this process owns the data folder and the port. */
  openBackend(config: LocalConfig, lifecycle: ProcessLifecycle, log: Log): Promise<OpenedBackend>;
}

export async function startAllInOne(
  config: LocalConfig,
  lifecycle: ProcessLifecycle,
  options: AllInOneOptions,
): Promise<void> {
  const log = localLog(config, 'start');
  // checks come first, so that a failed start leaves no component running
  ownDataFolder(config, lifecycle, options.command);
  const scripts = await findScriptMode(config);
  const api = Promise.withResolvers<ApiHandler>();
  const server = await startHttpServer(config.port, api.promise, log, config.host);
  recordApiPort(config.dataFolder, server.url, lifecycle);

  const { backend, messages } = await options.openBackend(config, lifecycle, log);
  const turns = createTurns();
  // components stop in reverse order: requests end, then dispatches, then the worker drains while its store still answers
  startLocalNotifier(config, backend, lifecycle);
  await startLocalWorker(config, backend, scripts, lifecycle);
  startLocalWatcher(backend.ctx, lifecycle, turns);
  lifecycle.defer(() => server.stop());
  api.resolve(await startLocalApi(config, backend, scripts, lifecycle, turns));

  const { url } = server;
  const details = [...messages, scripts.summary];
  const token = await localToken(config.dataFolder, 'me', false, process.env);
  // The person who reads this can make any token with the key of the data folder, and wants to see workers and load too.
  const operator = await localToken(config.dataFolder, 'me', true, process.env, LINK_LIFETIME);
  console.log(startupMessage({ url, link: consoleLink(url, operator), token, details }));
}
