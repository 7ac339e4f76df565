// Imports point inward only: runtimes → use cases → store, queue, tasks → domain. Code below the runtimes receives
// time, randomness and configuration (docs/architecture.md#time-randomness-io). Fails with the rule and the line.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const PORTS = ['store', 'queue', 'tasks', 'concurrency', 'domain'];
const USE_CASES = ['jobs', 'queries', 'notifications', 'scheduling', ...PORTS];
const RUNTIMES = ['runtime', ...USE_CASES];

/** The folders of src/ that each folder may import from, besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  concurrency: [],
  store: ['domain', 'concurrency'],
  queue: ['domain', 'concurrency'],
  tasks: ['domain', 'concurrency'],
  scheduling: PORTS,
  jobs: ['scheduling', ...PORTS],
  queries: ['jobs', 'scheduling', ...PORTS],
  notifications: ['scheduling', ...PORTS],
  runtime: USE_CASES,
  api: RUNTIMES,
  notifier: RUNTIMES,
  watcher: RUNTIMES,
  worker: RUNTIMES,
  // runs the other runtimes in one process
  local: ['api', 'notifier', 'watcher', 'worker', ...RUNTIMES],
  // for browsers too: what it knows of the contract are types
  client: ['api', 'tasks'],
  cli: ['client', 'local', 'domain'],
};

/** Rooms that run without the rest of src/, and without Node: every import from outside is `import type`. */
const TYPES_ONLY = ['client'];
/** What they may load all the same: it imports nothing and runs anywhere. */
const SELF_CONTAINED = ['src/tasks/http/signature.ts'];
const TYPES_ONLY_RULE =
  'src/client runs in browsers without zod and without the server: it takes types from src/api by `import type`, and loads nothing but src/tasks/http/signature.ts, which imports nothing.';

const RULE =
  'Imports point inward only: runtimes (api, notifier, watcher, worker, local) → runtime → use cases (jobs, queries, notifications → scheduling) → store, queue, tasks → concurrency, domain; cli → client, local, domain; client → types of api, and the signature.';

const WITHOUT_AMBIENT = [
  'domain',
  'concurrency',
  'store',
  'queue',
  'scheduling',
  'jobs',
  'queries',
  'notifications',
];
const AMBIENT =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bprocess\.env\b|\bTemporal\.Now\b/;
const AMBIENT_RULE =
  'Below the runtimes nothing reads the wall clock, a global random number or the environment: take it from the context.';

const STATEMENT =
  /^[ \t]*(?:import|export)\s(?!\s*type\s)[^'";=()]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm;
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]*)['"]/g;

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
/** The only file outside src/ that src/ imports, and its only importer. */
const PACKAGE_JSON = join(root, 'package.json');
const PACKAGE_JSON_IMPORTER = 'src/runtime/version.ts';
const roomOf = (file: string): string => relative(src, file).split('/')[0] ?? '';

export interface Violation {
  readonly where: string;
  readonly what: string;
  readonly rule: string;
}

export function check(file: string, text: string): Violation[] {
  const room = roomOf(file);
  const allowed = MAY_IMPORT[room];
  const name = relative(root, file);
  if (!allowed) {
    return [
      {
        where: name,
        what: `src/${room} has no place in the layers`,
        rule: 'Name it in tools/check-imports.ts.',
      },
    ];
  }
  const alone = TYPES_ONLY.includes(room) || SELF_CONTAINED.includes(name);
  const atRunTime = alone ? fromOutside(file, text, name) : [];
  const inLines = text.split('\n').flatMap((line, index) => {
    const where = `${name}:${index + 1}`;
    const found: Violation[] = [];
    for (const [, specifier = ''] of line.matchAll(IMPORT)) {
      const imported = resolve(dirname(file), specifier);
      if (imported === PACKAGE_JSON && name === PACKAGE_JSON_IMPORTER) continue;
      const target = roomOf(imported);
      if (target !== room && !allowed.includes(target)) {
        found.push({ where, what: `src/${room} imports src/${target}`, rule: RULE });
      }
    }
    if (WITHOUT_AMBIENT.includes(room) && !/^\s*(\/\/|\*|\/\*)/.test(line)) {
      const ambient = AMBIENT.exec(line);
      if (ambient) found.push({ where, what: `src/${room} uses ${ambient[0]}`, rule: AMBIENT_RULE });
    }
    return found;
  });
  return [...inLines, ...atRunTime];
}

/** What is loaded at run time from outside the file's room. */
function fromOutside(file: string, text: string, name: string): Violation[] {
  return [...text.matchAll(STATEMENT)].flatMap(({ 1: from, 2: bare, index }) => {
    const specifier = from ?? bare ?? '';
    const target = specifier.startsWith('.') ? resolve(dirname(file), specifier) : undefined;
    const inside =
      target !== undefined &&
      (roomOf(target) === roomOf(file) || SELF_CONTAINED.includes(relative(root, target)));
    const line = text.slice(0, index).split('\n').length;
    const what = `src/${roomOf(file)} loads ${specifier} at run time`;
    return inside ? [] : [{ where: `${name}:${line}`, what, rule: TYPES_ONLY_RULE }];
  });
}

if (import.meta.main) {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const violations = files.flatMap((file) => check(join(src, file), readFileSync(join(src, file), 'utf8')));
  for (const { where, what } of violations) console.error(`${where}: ${what}`);
  for (const rule of new Set(violations.map((violation) => violation.rule))) console.error(`\n${rule}`);
  if (violations.length > 0) process.exit(1);
  console.log(`${files.length} files, all imports point inward`);
}
