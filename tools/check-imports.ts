// Imports point inward only: runtimes → scheduling → store, queue, tasks → domain. And what is below the runtimes gets
// time, randomness and configuration handed in (DESIGN.md, "Time, randomness, I/O"). Fails with the rule and the line.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** What each room of src/ may import from; itself always. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  store: ['domain'],
  queue: ['domain'],
  tasks: ['domain'],
  scheduling: ['store', 'queue', 'tasks', 'domain'],
  'system.ts': ['scheduling', 'domain'],
  'config.ts': ['scheduling', 'domain'],
  'clients.ts': ['config.ts'],
  api: ['system.ts', 'config.ts', 'clients.ts', 'scheduling', 'store', 'queue', 'tasks', 'domain'],
  watcher: ['system.ts', 'config.ts', 'clients.ts', 'scheduling', 'store', 'queue', 'tasks', 'domain'],
  worker: ['system.ts', 'config.ts', 'clients.ts', 'scheduling', 'store', 'queue', 'tasks', 'domain'],
  // runs the other runtimes in one process
  local: [
    'api',
    'watcher',
    'worker',
    'system.ts',
    'config.ts',
    'clients.ts',
    'scheduling',
    'store',
    'queue',
    'tasks',
    'domain',
  ],
};

const RULE =
  'Imports point inward only: runtimes (api, watcher, worker, local) → scheduling → store, queue, tasks → domain; src/system.ts, config.ts and clients.ts only from runtimes.';

const WITHOUT_AMBIENT = ['domain', 'store', 'queue', 'scheduling'];
const AMBIENT =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bprocess\.env\b|\bTemporal\.Now\b/;
const AMBIENT_RULE =
  'Below the runtimes nothing reads the wall clock, a global random number or the environment: take it from the context.';

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
  return text.split('\n').flatMap((line, index) => {
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
