// What the run has started or created, and its removal. It is removed also after a failure, Ctrl-C or SIGTERM.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Close = () => unknown;

export class Cleanup {
  readonly #closers: Close[] = [];
  #running: Promise<void> | undefined;
  #isEnding = false;

  add(close: Close): void {
    this.#closers.push(close);
    // A step that was interrupted may still start something.
    if (this.#isEnding) void this.run();
  }

  folder(name: string): string {
    const folder = mkdtempSync(join(tmpdir(), `punctual-${name}-`));
    this.add(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    return folder;
  }

  /** Closes everything that was added, and can be used again. */
  run(): Promise<void> {
    this.#running ??= this.#closeAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The last one first. An error of one does not prevent the others. */
  async #closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        console.error('clean-up failed:', error);
      }
    }
  }

  /** After a signal the process ends with the status that a shell expects. `first` ends what still uses the rest. */
  onSignals(first: () => Promise<void>): void {
    for (const [signal, status] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const)
      process.once(signal, async () => {
        console.error(`${signal}: stopping everything`);
        this.#isEnding = true;
        await first();
        await this.run();
        process.exit(status);
      });
  }
}
