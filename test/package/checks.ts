// A list of checks that prints one line for each, and continues after a failure.
export class Checks {
  readonly failed: string[] = [];
  #done = 0;

  /** `check` returns a detail to print, or throws. */
  async run(name: string, check: () => unknown): Promise<void> {
    const started = performance.now();
    this.#done++;
    try {
      const detail = await check();
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`ok      ${name}${typeof detail === 'string' ? `: ${detail}` : ''} (${seconds} s)`);
    } catch (error) {
      this.failed.push(name);
      console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  get summary(): string {
    const { length } = this.failed;
    return length === 0
      ? `all ${this.#done} checks of the package passed`
      : `${length} of ${this.#done} checks failed: ${this.failed.join('; ')}`;
  }
}

export function expect(condition: unknown, message: () => string): asserts condition {
  if (!condition) throw new Error(message());
}

export const expectEqual = (actual: unknown, expected: unknown): void =>
  expect(
    JSON.stringify(actual) === JSON.stringify(expected),
    () => `expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
  );
