// A process of the fault tests: an API, a watcher, a worker or several of them, with the code of production.
// `node test/support/faults/process.ts '<PartConfig as JSON>'`. The process does not know of the faults.

import { routes } from '../../../src/api/handlers/scheduler-routes.ts';
import { createApi } from '../../../src/api/http/handler.ts';
import { startHttpServer } from '../../../src/local/http-server.ts';
import { refillQueue } from '../../../src/local/refill-queue.ts';
import { createLog } from '../../../src/runtime/log.ts';
import type { Task, Tasks } from '../../../src/tasks/task.ts';
import { allShards, runWatcher } from '../../../src/watcher/main.ts';
import { startWorker } from '../../../src/worker/worker.ts';
import { connect, type PartConfig, type Ready } from './part.ts';
import { probeTask } from './probe.ts';

const config = JSON.parse(process.argv[2] ?? '{}') as PartConfig;
const log = createLog('info', { part: config.name }, (line) => process.stderr.write(line));
const { context, receivers } = connect(config, log);
const workerId = `${config.name}-${process.pid}`;
const probe = probeTask(config.evidenceFile, workerId, context.clock) as Task<unknown>;
const tasks: Tasks = new Map([[probe.name, probe]]);
const has = (role: PartConfig['roles'][number]) => config.roles.includes(role);

const stopping = new AbortController();
const stops: (() => Promise<unknown>)[] = [];
let url: string | undefined;
if (config.refill) await refillQueue(context);
if (has('worker')) {
  const { concurrency, drainMs } = config;
  const worker = startWorker(context, { workerId, host: 'here', tasks, receivers, concurrency });
  stops.push(() => worker.stop({ deadlineMs: drainMs }));
}
if (has('watcher')) {
  const watching = runWatcher(context, allShards(context.settings.shards), stopping.signal);
  stops.push(() => watching);
}
if (has('api')) {
  const api = createApi(routes(context, tasks), {
    log,
    operatorsGroup: 'punctual-operators',
    async authorize({ requestContext, headers }) {
      requestContext.authorizer = { jwt: { claims: { sub: headers.authorization ?? '' } } };
      delete headers.authorization; // a user's name, not a token
    },
  });
  const server = await startHttpServer(0, Promise.resolve(api), log);
  url = server.url;
  stops.push(() => server.stop());
}

process.on('SIGTERM', async () => {
  stopping.abort();
  for (const stop of stops.reverse()) await stop();
  process.exit(0);
});
// the process ends with its parent, so that no process outlives the tests
process.stdin.resume().on('close', () => process.exit(3));

const ready: Ready = { pid: process.pid, url, workerId };
process.stdout.write(`${JSON.stringify(ready)}\n`);
