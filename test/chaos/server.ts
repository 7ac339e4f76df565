// The embedded server as a process that can be killed and started again on the same data folder.
import { once } from 'node:events';
import { join } from 'node:path';
import { type LocalProcess, startPart } from '../support/processes.ts';

/** A day: neither settle nor the end of a lease helps. The refill and the boot id alone bring everything back. */
const WITHOUT_HELP = { PUNCTUAL_SETTLE_LAG_MS: '86400000', PUNCTUAL_LEASE_MS: '43200000' };

const LINES = 40;

export class Server {
  readonly folder: string;
  readonly evidence: string;
  /** Process ids of killed servers, and when each was gone. */
  readonly stopped = new Map<number, number>();
  /** When each start was answering, by its process id. */
  readonly listening = new Map<number, number>();
  readonly #ended: string[] = [];
  #process: LocalProcess | undefined;
  #url = Promise.withResolvers<string>();

  constructor(folder: string) {
    this.folder = join(folder, 'data');
    this.evidence = join(folder, 'runs.jsonl');
  }

  /** The address of the present server, or of the next one if there is none. */
  url(): Promise<string> {
    return this.#url.promise;
  }

  /** Returns at once. `url` resolves when the server answers. */
  start(): void {
    const started = startPart('main', {
      PUNCTUAL_DATA: this.folder,
      PUNCTUAL_TASKS_FOLDER: join(import.meta.dirname, 'tasks'),
      CHAOS_EVIDENCE: this.evidence,
      ...WITHOUT_HELP,
    });
    this.#process = started;
    const url = this.#url;
    void started.printed(/listens on (http:\S+)/).then(
      ([, at = '']) => {
        this.listening.set(started.child.pid ?? 0, Date.now());
        url.resolve(at);
      },
      () => {}, // killed before it answered
    );
  }

  /** The last lines that all servers have printed, without the welcome. */
  get output(): string {
    const all = [...this.#ended, this.#process?.output() ?? ''].join('\n').split('\n');
    return all
      .filter((line) => /^(punctual:|\{)/.test(line))
      .slice(-LINES)
      .join('\n');
  }

  /** kill -9. False: the server had ended by itself. */
  async kill(): Promise<boolean> {
    const { child } = this.#process ?? {};
    if (!child || child.exitCode !== null) return false;
    // callers that wait for this start wait for the next one
    const before = this.#url;
    this.#url = Promise.withResolvers();
    before.resolve(this.#url.promise);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    this.#ended.push(this.#process?.output() ?? '');
    this.stopped.set(child.pid ?? 0, Date.now());
    return true;
  }

  async stop(): Promise<number | null | undefined> {
    return this.#process?.stop();
  }
}
