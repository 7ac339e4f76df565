// A whole server in this process: API, watcher, worker and notifier on one backend.
import type { ApiHandler } from '../api/http/http-event.ts';
import type { Log } from '../scheduling/context.ts';
import { findScriptMode } from '../tasks/script/script-mode.ts';
import type { OpenedBackend } from './backend.ts';
import {
  createTurns,
  localLog,
  newIdentity,
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
import { recordApiUrl } from './scheduler-ports.ts';
import { startupMessage } from './startup-message.ts';
import { groupsOf } from './tokens.ts';

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
  recordApiUrl(config.dataFolder, server.url, lifecycle);

  const { backend, messages } = await options.openBackend(config, lifecycle, log);
  const turns = createTurns();
  // components stop in reverse order: requests end, then dispatches, then the worker drains while its store still answers
  startLocalNotifier(config, backend, lifecycle);
  await startLocalWorker(config, backend, scripts, lifecycle);
  startLocalWatcher(backend.ctx, lifecycle, turns);
  lifecycle.defer(() => server.stop());
  const identity = await newIdentity(config.dataFolder);
  api.resolve(await startLocalApi(config, backend, scripts, identity, lifecycle, turns));

  const { url } = server;
  const details = [...messages, scripts.summary];
  // The person at the terminal can make any token with the key of the data folder, and wants to see workers and load too.
  // Otherwise the output is a log, which many may read.
  const link = process.stdout.isTTY
    ? await consoleLink(identity, url, 'me', groupsOf(true, process.env))
    : undefined;
  console.log(startupMessage({ url, link, dataFolder: config.dataFolder, details }));
}
