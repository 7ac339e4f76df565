// Cold starts: the size of each bundle, and the time that a new process needs to import it. For comparison, the same with
// the AWS SDK outside of the bundle, as Lambda's own copy would be.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { bundle, ENTRIES, type Entry, OUTPUT, ROOT } from '../lib/bundling/bundle.ts';
import { progress, type Report } from './report.ts';

const RUNS = 7;
const FUNCTIONS = Object.keys(ENTRIES).filter((entry): entry is Entry => entry !== 'worker');

/** Required variables without a default. No call is made. */
const URL_OF_NOTHING = 'http://127.0.0.1:9/queue';
const env = {
  PATH: process.env.PATH ?? '',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  PUNCTUAL_PREFIX: 'cold-',
  PUNCTUAL_QUEUE_URLS: URL_OF_NOTHING,
  PUNCTUAL_DEAD_LETTER_URL: URL_OF_NOTHING,
  PUNCTUAL_INGEST_URL: URL_OF_NOTHING,
  PUNCTUAL_INGEST_DEAD_LETTER_URL: URL_OF_NOTHING,
  PUNCTUAL_NOTIFY_URL: URL_OF_NOTHING,
  PUNCTUAL_NOTIFY_DEAD_LETTER_URL: URL_OF_NOTHING,
};

const kilobytes = (bytes: number): number => Math.round(bytes / 1024);

/** The files that the runtime reads before it has a handler: the program and its static imports. */
function loadedAtStart({ outputs }: Metafile, entry: Entry): number {
  const own = Object.keys(outputs).filter(
    (file) => basename(file) === OUTPUT || outputs[file]?.entryPoint === ENTRIES[entry],
  );
  const seen = new Set(own);
  for (const file of seen) {
    for (const { path, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && path in outputs) seen.add(path);
  }
  return [...seen].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0);
}

function zippedSize(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  return kilobytes(
    files.reduce((sum, { name }) => sum + gzipSync(readFileSync(join(folder, name))).length, 0),
  );
}

/** The import times of new processes, from the first line to the handler. */
function importMs(folder: string): number {
  const program = `const t = performance.now(); await import(${JSON.stringify(join(folder, OUTPUT))}); console.log(performance.now() - t); process.exit(0)`;
  const times = Array.from({ length: RUNS }, () =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' })),
  ).sort((a, b) => a - b);
  return Math.round(times[Math.floor(RUNS / 2)] ?? 0);
}

export async function cold(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-cold-'));
  try {
    const rows: (string | number)[][] = [];
    for (const entry of FUNCTIONS) {
      progress(`cold: ${entry}`);
      const [bundled, apart] = [join(folder, entry, 'bundled'), join(folder, entry, 'apart')];
      const { metafile } = await bundle(entry, bundled);
      await bundle(entry, apart, { external: ['@aws-sdk/*', '@smithy/*'] });
      mkdirSync(folder, { recursive: true });
      if (rows.length === 0) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      rows.push([
        entry,
        kilobytes(loadedAtStart(metafile, entry)),
        zippedSize(bundled),
        importMs(bundled),
        zippedSize(apart),
        importMs(apart),
      ]);
    }
    return {
      name: 'cold',
      command: 'npm run bench -- cold',
      tables: [
        {
          title: 'Size and import of the functions',
          columns: [
            'function',
            'loaded at start, KB',
            'all zipped, KB',
            'import, ms',
            'without the SDK: zipped, KB',
            'import, ms',
          ],
          rows,
        },
      ],
      notes: [
        `The median of ${RUNS} new processes on this machine, without the start of Node. On Lambda with 1 GB the same order of magnitude is expected, which was not measured.`,
        'Zipped: every file of the bundle, with the source map of our own code and without the docs page of `query` (470 KB).',
        '"Without the SDK" loads it from its packages, file by file, as Lambda does with its own copy.',
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
