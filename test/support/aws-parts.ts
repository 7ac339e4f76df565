// The parts of the AWS path in processes of their own, as in a deployment: dynoxide and fauxqs, APIs, a watcher and workers.
import { client, type LocalProcess, type Part, startPart } from './processes.ts';

/** What each process prints when it is ready. */
const READY = {
  'engines.main': /DynamoDB API at/,
  'api.main': /listens on (http:\S*\d)/,
  'watcher.main': /watcher has started/,
  'worker.main': /waits for jobs/,
} satisfies Partial<Record<Part, RegExp>>;

export interface AwsParts {
  /** Calls the API with this number as a user. */
  as(user: string, api?: number, groups?: readonly string[]): ReturnType<typeof client>;
  readonly workers: LocalProcess[];
  startWorker(): Promise<LocalProcess>;
  /** kill -9 of all processes. */
  kill(): Promise<void>;
}

export async function startAwsParts(
  folder: string,
  env: Record<string, string> = {},
  { apis = 1, workers = 1 }: { readonly apis?: number; readonly workers?: number } = {},
): Promise<AwsParts> {
  const started: LocalProcess[] = [];
  const start = async (
    part: keyof typeof READY,
  ): Promise<{ process: LocalProcess; ready: RegExpExecArray }> => {
    const process = startPart(part, { PUNCTUAL_DATA: folder, PUNCTUAL_DRAIN_SECONDS: '0', ...env });
    started.push(process);
    return { process, ready: await process.printed(READY[part]) };
  };
  const kill = async () => {
    // the engines last: they remove their own children only if they are told to stop
    const [engines, ...others] = started;
    await Promise.all(others.map((one) => one.stop('SIGKILL')));
    await engines?.stop('SIGTERM');
  };
  const parts: AwsParts = {
    as: (user, api = 0, groups = []) => client(urls[api] ?? '', folder, user, groups),
    workers: [],
    async startWorker() {
      const { process } = await start('worker.main');
      parts.workers.push(process);
      return process;
    },
    kill,
  };
  const urls: string[] = [];
  try {
    await start('engines.main');
    const rest = await Promise.all([
      ...Array.from({ length: apis }, () => start('api.main')),
      start('watcher.main'),
      ...Array.from({ length: workers }, () => parts.startWorker()),
    ]);
    for (const one of rest) if ('ready' in one && one.ready[1]) urls.push(one.ready[1]);
    return parts;
  } catch (error) {
    await kill();
    throw error;
  }
}
