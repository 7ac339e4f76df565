// Checks the imports of src/: they point inward only (runtimes → use cases → store, queue, tasks → domain) and form no
// cycles, and src/ has no loose files. Code below the runtimes gets time, randomness and configuration handed in
// (docs/architecture.md#time-randomness-io). The console runs in browsers: of src/ it takes the client and those files of the
// domain that load neither zod nor Node. A violation is printed with its line and its rule.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const PORTS = ['store', 'queue', 'tasks', 'telemetry', 'concurrency', 'domain'];
const USE_CASES = ['jobs', 'queries', 'notifications', 'scheduling', ...PORTS];
const RUNTIMES = ['runtime', ...USE_CASES];

/** The folders of src/ that each folder may import from, besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  concurrency: [],
  store: ['domain', 'concurrency'],
  queue: ['domain', 'concurrency'],
  tasks: ['domain', 'concurrency'],
  telemetry: ['store', 'domain', 'concurrency'],
  scheduling: PORTS,
  jobs: ['scheduling', ...PORTS],
  queries: ['jobs', 'scheduling', ...PORTS],
  notifications: ['scheduling', ...PORTS],
  runtime: USE_CASES,
  api: RUNTIMES,
  notifier: RUNTIMES,
  watcher: RUNTIMES,
  worker: RUNTIMES,
  // The canary is a client of the public URL.
  canary: ['client', 'api', ...RUNTIMES],
  // The console is served behind the same HTTP API, by responses of the same form.
  console: ['api', ...RUNTIMES],
  // The embedded server runs the other runtimes in one process.
  local: ['api', 'console', 'notifier', 'watcher', 'worker', ...RUNTIMES],
  // The client runs in browsers too, so it takes only types from the contract.
  client: ['api', 'tasks'],
  cli: ['client', 'local', 'concurrency', 'domain'],
  // The test kit runs the use cases of worker and watcher on virtual time.
  testing: ['queries', 'jobs', 'scheduling', ...PORTS],
};

/** Folders that run without the rest of src/ and without Node. They take types from outside, and load nothing. */
const TYPES_ONLY = ['client'];
/** Files that such a folder may load all the same, because they import nothing and run anywhere. */
const SELF_CONTAINED = ['src/tasks/http/signature.ts'];
const TYPES_ONLY_RULE =
  'src/client runs in browsers, without zod and without the server. It takes types from src/api by `import type`. It loads nothing but src/tasks/http/signature.ts, which imports nothing.';

const LAYERS_RULE =
  'Imports point inward only: runtimes (api, console, notifier, watcher, worker, canary, local) → runtime → use cases (jobs, queries, notifications → scheduling) → store, queue, tasks, telemetry → concurrency, domain. cli → client, local, concurrency, domain. client → types of api, and the signature.';

/** The folders of src/scheduling that each of its folders may import from. '' is src/scheduling itself. */
const SCHEDULING: Record<string, readonly string[]> = {
  records: [],
  claiming: ['records'],
  planning: ['records', 'claiming'],
  running: ['records', 'claiming'],
  '': ['records', 'claiming'],
};
/** Files that every folder of src/scheduling may import, besides those of src/scheduling itself. */
const SCHEDULING_SHARED = [
  // A claim that ends an execution wakes the next one, and settle does the same.
  'running/after-execution.ts',
  // A claim asks the plan whether an occurrence is still due under the schedule in force.
  'planning/plan.ts',
];
const SCHEDULING_RULE = `Inside src/scheduling: planning and running → claiming → records. Every folder may import the files of src/scheduling itself, and ${SCHEDULING_SHARED.join(' and ')}.`;

const CYCLE_RULE =
  'Files form no import cycles, not even of types. Move what both files need into a third one.';

const LOOSE_RULE = 'Every file of src/ is in the folder of its subject.';

const WITHOUT_AMBIENT = [
  'domain',
  'concurrency',
  'store',
  'queue',
  'telemetry',
  'scheduling',
  'jobs',
  'queries',
  'notifications',
  'testing',
];
const AMBIENT =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bprocess\.env\b|\bTemporal\.Now\b/;
const AMBIENT_RULE =
  'Below the runtimes, code takes time, random numbers and configuration from the context. It never reads the wall clock, the global random generator or the environment.';

const CONSOLE_RULE =
  'console/ runs in browsers. Of src/ it imports src/client and src/domain only, and loads no file that loads zod or a module of Node. console/build is a program of Node: it imports nothing of src/, and nothing else imports it.';

const STATEMENT =
  /^[ \t]*(?:import|export)\s(?!\s*type\s)[^'";=()]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm;
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*['"](\.[^'"]*)['"]/g;

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
const consoleFolder = join(root, 'console');
/** The only file outside src/ that src/ imports, and its only importer. */
const PACKAGE_JSON = join(root, 'package.json');
const PACKAGE_JSON_IMPORTER = 'src/runtime/version.ts';
const folderOf = (file: string): string => relative(src, file).split('/')[0] ?? '';

export interface Violation {
  readonly where: string;
  readonly what: string;
  readonly rule: string;
}

export function check(file: string, text: string): Violation[] {
  const folder = folderOf(file);
  const allowed = MAY_IMPORT[folder];
  const name = relative(root, file);
  if (dirname(file) === src) return [{ where: name, what: 'the file is directly in src', rule: LOOSE_RULE }];
  if (!allowed) {
    return [
      {
        where: name,
        what: `src/${folder} has no place in the layers`,
        rule: 'Name it in tools/check-imports.ts.',
      },
    ];
  }
  const isSelfContained = TYPES_ONLY.includes(folder) || SELF_CONTAINED.includes(name);
  const atRunTime = isSelfContained ? fromOutside(file, text, name) : [];
  const inLines = text.split('\n').flatMap((line, index) => {
    const where = `${name}:${index + 1}`;
    const found: Violation[] = [];
    for (const [, specifier = ''] of line.matchAll(IMPORT)) {
      const imported = resolve(dirname(file), specifier);
      if (imported === PACKAGE_JSON && name === PACKAGE_JSON_IMPORTER) continue;
      const target = folderOf(imported);
      if (target !== folder && !allowed.includes(target)) {
        found.push({ where, what: `src/${folder} imports src/${target}`, rule: LAYERS_RULE });
      }
      const outward = againstScheduling(file, imported);
      if (outward) found.push({ where, what: outward, rule: SCHEDULING_RULE });
    }
    if (WITHOUT_AMBIENT.includes(folder) && !/^\s*(\/\/|\*|\/\*)/.test(line)) {
      const ambient = AMBIENT.exec(line);
      if (ambient) found.push({ where, what: `src/${folder} uses ${ambient[0]}`, rule: AMBIENT_RULE });
    }
    return found;
  });
  return [...inLines, ...atRunTime];
}

/** The import of one folder of src/scheduling that points outward. Undefined if the import is allowed. */
function againstScheduling(file: string, imported: string): string | undefined {
  const [from, to] = [file, imported].map((path) => relative(join(src, 'scheduling'), path)) as [
    string,
    string,
  ];
  if (from.startsWith('..') || to.startsWith('..') || SCHEDULING_SHARED.includes(to)) return undefined;
  const [own, target] = [from, to].map((path) => (path.includes('/') ? (path.split('/')[0] ?? '') : '')) as [
    string,
    string,
  ];
  if (target === '' || target === own || SCHEDULING[own]?.includes(target)) return undefined;
  return `src/scheduling${own && '/'}${own} imports src/scheduling/${target}`;
}

/** The imports that a file loads at run time from outside its folder. */
function fromOutside(file: string, text: string, name: string): Violation[] {
  return [...text.matchAll(STATEMENT)].flatMap(({ 1: from, 2: bare, index }) => {
    const specifier = from ?? bare ?? '';
    const target = specifier.startsWith('.') ? resolve(dirname(file), specifier) : undefined;
    const inside =
      target !== undefined &&
      (folderOf(target) === folderOf(file) || SELF_CONTAINED.includes(relative(root, target)));
    const line = text.slice(0, index).split('\n').length;
    const what = `src/${folderOf(file)} loads ${specifier} at run time`;
    return inside ? [] : [{ where: `${name}:${line}`, what, rule: TYPES_ONLY_RULE }];
  });
}

/** The violations of a file of console/. `read` gives the text of another file. */
export function checkConsole(file: string, text: string, read: (file: string) => string): Violation[] {
  const name = relative(root, file);
  const isBuild = name.startsWith('console/build/');
  const line = (index: number) => `${name}:${text.slice(0, index).split('\n').length}`;
  const violation = (index: number, what: string) => ({ where: line(index), what, rule: CONSOLE_RULE });
  const wrongPlaces = [...text.matchAll(IMPORT)].flatMap(({ 1: specifier = '', index }) => {
    const target = relative(root, resolve(dirname(file), specifier));
    const inside = target.startsWith('console/') && (isBuild || !target.startsWith('console/build/'));
    const allowed = inside || (!isBuild && /^src\/(client|domain)\//.test(target));
    return allowed ? [] : [violation(index, `console/ imports ${target}`)];
  });
  if (isBuild) return wrongPlaces;
  const loaded = [...text.matchAll(STATEMENT)].flatMap(({ 1: from, 2: bare, index }) => {
    const chain = pathToServer(from ?? bare ?? '', file, read, new Set());
    return chain ? [violation(index, `console/ loads ${chain.join(' → ')}`)] : [];
  });
  return [...wrongPlaces, ...loaded];
}

/** The chain of imports that loads zod or a module of Node. Undefined if the import loads neither. */
function pathToServer(
  specifier: string,
  importer: string,
  read: (file: string) => string,
  seen: Set<string>,
): string[] | undefined {
  if (!specifier.startsWith('.')) return /^(node:|zod($|\/))/.test(specifier) ? [specifier] : undefined;
  const file = resolve(dirname(importer), specifier);
  if (seen.has(file) || !file.endsWith('.ts') || !file.startsWith(src)) return undefined;
  seen.add(file);
  for (const [, from, bare] of read(file).matchAll(STATEMENT)) {
    const chain = pathToServer(from ?? bare ?? '', file, read, seen);
    if (chain) return [relative(root, file), ...chain];
  }
  return undefined;
}

const USAGE = `usage: npm run imports

Checks that the imports in src/ point inward only, and that console/ imports what runs in a browser. The exit code is 1 if one does not.`;

/**
 * The import cycles between files, given their texts by path. A cycle begins and ends with the same file. Of cycles that
 * share files, at least one is found.
 */
export function importCycles(texts: ReadonlyMap<string, string>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      cycles.push([...path.slice(start), file]);
      return;
    }
    if (done.has(file)) return;
    for (const [, specifier = ''] of (texts.get(file) ?? '').matchAll(IMPORT))
      visit(resolve(dirname(file), specifier), [...path, file]);
    done.add(file);
  };
  for (const file of texts.keys()) visit(file, []);
  return cycles;
}

const cycleViolation = (cycle: readonly string[]): Violation => {
  const [first = '', ...others] = cycle.map((file) => relative(root, file));
  return { where: first, what: `import cycle → ${others.join(' → ')}`, rule: CYCLE_RULE };
};

if (import.meta.main) {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(USAGE);
    process.exit(0);
  }
  const read = (file: string) => readFileSync(file, 'utf8');
  const textsIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => [join(folder, file), read(join(folder, file))] as const);
  const texts = new Map(textsIn(src));
  const ofConsole = new Map(textsIn(consoleFolder));
  const violations = [
    ...[...texts].flatMap(([file, text]) => check(file, text)),
    ...[...ofConsole].flatMap(([file, text]) => checkConsole(file, text, read)),
    ...[texts, ofConsole].flatMap((all) => importCycles(all).map(cycleViolation)),
  ];
  for (const { where, what } of violations) console.error(`${where}: ${what}`);
  for (const rule of new Set(violations.map((violation) => violation.rule))) console.error(`\n${rule}`);
  if (violations.length > 0) process.exit(1);
  console.log(`${texts.size + ofConsole.size} files, all imports point inward and form no cycle`);
}
