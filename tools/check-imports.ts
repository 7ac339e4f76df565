// Imports point inward only: runtimes → scheduling → store, queue, tasks → domain. And what is below the runtimes gets
// time, randomness and configuration handed in (docs/architecture.md#time-randomness-io). Fails with the rule and the line.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** What every runtime is put together from. */
const PARTS = [
  'system.ts',
  'repeated-faults.ts',
  'config.ts',
  'clock',
  'aws',
  'scheduling',
  'store',
  'queue',
  'tasks',
  'domain',
];
/** And those on AWS. */
const RUNTIME = ['telling.ts', 'tracing.ts', 'on-lambda.ts', ...PARTS];

/** What each room of src/ may import from; itself always. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  store: ['domain', 'groups.ts', 'at-most.ts'],
  queue: ['domain', 'groups.ts'],
  'groups.ts': [],
  'at-most.ts': [],
  tasks: ['domain'],
  scheduling: ['store', 'queue', 'tasks', 'domain'],
  'system.ts': ['scheduling', 'domain'],
  'repeated-faults.ts': ['scheduling'],
  'config.ts': ['scheduling', 'domain'],
  clock: ['scheduling'],
  aws: [],
  'metrics.ts': [],
  'telling.ts': ['config.ts', 'scheduling', 'queue'],
  'tracing.ts': ['config.ts'],
  'on-lambda.ts': [
    'config.ts',
    'clock',
    'aws',
    'system.ts',
    'repeated-faults.ts',
    'scheduling',
    'store',
    'queue',
  ],
  api: RUNTIME,
  notifier: RUNTIME,
  watcher: ['metrics.ts', ...RUNTIME],
  worker: ['metrics.ts', ...RUNTIME],
  // runs the other runtimes in one process
  local: ['api', 'notifier', 'watcher', 'worker', 'telling.ts', ...PARTS],
  // for browsers too: what it knows of the contract are types
  client: ['api', 'tasks'],
  cli: ['client', 'local', 'domain'],
};

/** Rooms that run without the rest of src/, and without Node: every import from outside is `import type`. */
const TYPES_ONLY = ['client'];
/** What they may load all the same: it imports nothing and runs anywhere. */
const SELF_CONTAINED = ['src/tasks/signature.ts'];
const TYPES_ONLY_RULE =
  'src/client runs in browsers without zod and without the server: it takes types from src/api by `import type`, and loads nothing but src/tasks/signature.ts, which imports nothing.';

const RULE =
  'Imports point inward only: runtimes (api, notifier, watcher, worker, local) → scheduling → store, queue, tasks → domain; src/system.ts, config.ts, clock/, aws/, metrics.ts, telling.ts, tracing.ts and on-lambda.ts only from runtimes; cli → client, local, domain; client → types of api, and the signature.';

const WITHOUT_AMBIENT = ['domain', 'store', 'queue', 'scheduling'];
const AMBIENT =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bprocess\.env\b|\bTemporal\.Now\b/;
const AMBIENT_RULE =
  'Below the runtimes nothing reads the wall clock, a global random number or the environment: take it from the context.';

const STATEMENT =
  /^[ \t]*(?:import|export)\s(?!\s*type\s)[^'";=()]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm;
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]*)['"]/g;

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
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
      const target = roomOf(resolve(dirname(file), specifier));
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
