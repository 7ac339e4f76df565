// The steps of a run: each has a name, a result and a time. The table of all steps is printed at the end.

interface Line {
  readonly part: string;
  readonly name: string;
  result: 'passed' | 'failed' | 'running';
  seconds: number;
  /** What the step found, in a few words. */
  note: string;
}

export type Step = <Result>(
  name: string,
  run: (note: (text: string) => void) => Promise<Result> | Result,
) => Promise<Result>;

export class Report {
  readonly #started = performance.now();
  readonly #lines: Line[] = [];

  /** The steps of one part, such as a stack. A step that fails ends the part. */
  part(part: string): Step {
    return async (name, run) => {
      const line: Line = { part, name, result: 'running', seconds: 0, note: '' };
      this.#lines.push(line);
      const started = performance.now();
      try {
        const result = await run((text) => {
          line.note = text;
        });
        line.result = 'passed';
        return result;
      } catch (error) {
        line.result = 'failed';
        // The other parts may go on for minutes.
        console.error(error);
        throw error;
      } finally {
        line.seconds = (performance.now() - started) / 1000;
        const note = line.note === '' ? '' : ` (${line.note})`;
        console.log(`${this.#clock()}  ${part}: ${name}: ${line.result}${note}`);
      }
    };
  }

  print(): void {
    table(
      ['part', 'step', 'result', 'seconds'],
      this.#lines.map(({ part, name, result, seconds, note }) => [
        part,
        note === '' ? name : `${name} (${note})`,
        // A step that another part's failure has interrupted has no result.
        result === 'running' ? 'interrupted' : result,
        seconds.toFixed(1),
      ]),
    );
    const passed = this.#lines.filter(({ result }) => result === 'passed').length;
    console.log(`\n${passed} of ${this.#lines.length} steps passed in ${this.#clock().trim()}`);
  }

  #clock(): string {
    return `${((performance.now() - this.#started) / 1000).toFixed(1)} s`.padStart(8);
  }
}

/** Prints rows in columns. The last column is aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) =>
        index === head.length - 1 ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ');
  console.log(`\n${line(head)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  for (const row of rows) console.log(line(row));
}
