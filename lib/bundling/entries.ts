// The programs that are deployed, and the names of their files. A checkout bundles them from source (bundle.ts). The package has
// them prebuilt (tools/build/runtime.ts).
import { resolve } from 'node:path';

/** The checkout, or `dist` of the package. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** The programs of the Lambda functions and of the container. */
export const ENTRIES = {
  scheduler: 'src/api/scheduler.lambda.ts',
  query: 'src/api/query.lambda.ts',
  docs: 'src/api/docs.lambda.ts',
  ingest: 'src/api/ingest.lambda.ts',
  watcher: 'src/watcher/watcher.lambda.ts',
  notifier: 'src/notifier/notifier.lambda.ts',
  canary: 'src/canary/canary.lambda.ts',
  console: 'src/console/console.lambda.ts',
  worker: 'src/worker/main.ts',
} as const;
export type Entry = keyof typeof ENTRIES;

/** The entries that contain the custom tasks, because they describe them, validate their params or run them. */
export const WITH_TASKS: readonly Entry[] = ['scheduler', 'query', 'ingest', 'worker'];

/** The entries that describe and validate tasks, but never run them. */
export const WITHOUT_RUNS: readonly Entry[] = ['scheduler', 'query', 'ingest'];

/** The export of a Lambda. The worker exports nothing. */
export const exportOf = (entry: Entry): 'handler' | undefined => (entry === 'worker' ? undefined : 'handler');

/** Lambda's handler setting. */
export const HANDLER = 'index.handler';
export const OUTPUT = 'index.mjs';

/** Files that are read instead of imported. Compressed, they are in a folder with the name of their package. */
export const ASSETS: Partial<Record<Entry, { readonly package: string; readonly files: readonly string[] }>> =
  {
    docs: { package: 'swagger-ui-dist', files: ['swagger-ui.css', 'swagger-ui-bundle.js'] },
  };

/** The folder beside the console's program that has its built files. */
export const CONSOLE_FILES = 'console';

/** The module of a prebuilt bundle that has the custom tasks. */
export const CUSTOM_TASKS = 'custom-tasks.mjs';

/** `dist/runtime/manifest.json`: the files of each prebuilt program. */
export interface Manifest {
  readonly version: string;
  readonly entries: Readonly<Record<Entry, ManifestEntry>>;
}

export interface ManifestEntry {
  /** The file that is deployed as OUTPUT. */
  readonly main: string;
  /** The other files, which keep their names. */
  readonly files: readonly string[];
}
