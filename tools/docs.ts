// `npm run docs` writes the generated parts of the documents, each between two markers. `npm run docs -- --check` changes
// nothing, and fails if a document is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runDiagram } from './docs/run-diagram.ts';
import { settingsTables } from './docs/settings-table.ts';
import { executionDiagram, jobDiagram } from './docs/state-diagrams.ts';

const root = resolve(import.meta.dirname, '..');

/** The documents that have generated parts. */
export const DOCUMENTS = ['docs/architecture.md', 'docs/deploy.md'];

const mermaid = (diagram: string): string => `\`\`\`mermaid\n${diagram}\n\`\`\``;

const PARTS: Readonly<Record<string, () => string | Promise<string>>> = {
  'execution states': () => mermaid(executionDiagram()),
  'job states': () => mermaid(jobDiagram()),
  'one run': async () => mermaid(await runDiagram()),
  settings: settingsTables,
};

const MARKED = /(<!-- generated: ([a-z ]+) \(npm run docs\) -->\n)(?:.|\n)*?(<!-- end of generated -->)/g;

/** The document with its generated parts as they are now. */
export async function withGenerated(text: string): Promise<string> {
  const parts = new Map<string, string>();
  for (const [, , name = ''] of text.matchAll(MARKED)) {
    const make = PARTS[name];
    if (!make)
      throw new Error(`"${name}" is not a generated part; known parts: ${Object.keys(PARTS).join(', ')}`);
    parts.set(name, await make());
  }
  return text.replace(
    MARKED,
    (_all, begin: string, name: string, end: string) => `${begin}${parts.get(name)}\n${end}`,
  );
}

const USAGE = `usage: npm run docs -- [--check]

Generates the diagrams of docs/architecture.md and the settings of docs/deploy.md from the code.

  --check   change nothing; the exit code is 1 if a document is out of date
  --help    print this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(USAGE);
  for (const document of DOCUMENTS) {
    const file = join(root, document);
    const text = readFileSync(file, 'utf8');
    const made = await withGenerated(text);
    if (made === text) continue;
    if (values.check) {
      console.error(`${document} is out of date: run npm run docs`);
      process.exitCode = 1;
    } else {
      writeFileSync(file, made);
      console.log(`wrote ${document}`);
    }
  }
}

if (import.meta.main)
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  });
