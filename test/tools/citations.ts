// What Markdown files and comments cite: files, headings, decisions, rules of the protocol. Each must exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Citation {
  /** File and line. */
  readonly where: string;
  readonly cited: string;
}

const FOLDERS = ['src', 'lib', 'test', 'bench', 'tools', 'bin', 'model', 'docs', 'examples', 'console'];
const LEFT_OUT = /(^|\/)(node_modules|results|target|__snapshots__|snapshots)(\/|$)/;

const filesIn = (folder: string, end: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((name) => name.endsWith(end) && !LEFT_OUT.test(name))
    : [];

export const markdownFiles = (): string[] => [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...FOLDERS.flatMap((folder) => filesIn(folder, '.md')),
];
export const sourceFiles = (): string[] =>
  FOLDERS.flatMap((folder) => [...filesIn(folder, '.ts'), ...filesIn(folder, '.tsx')]);
export const textOf = (file: string): string => readFileSync(file, 'utf8');

/** The source with everything but its comments blanked, line by line. */
export const commentsOf = (source: string): string =>
  source
    .split('\n')
    .map((line) => {
      if (/^\s*(\/\/|\/?\*)/.test(line)) return line;
      return /\s(\/\/ .*)$/.exec(line)?.[1] ?? '';
    })
    .join('\n');

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');

const headingsOf = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);

const withoutCode = (markdown: string): string =>
  markdown.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, ''));

const hasAnchor = (file: string, anchor: string): boolean =>
  headingsOf(textOf(file)).map(anchorOf).includes(anchor);

function* found(file: string, text: string, pattern: RegExp): Generator<[string, RegExpExecArray]> {
  for (const match of text.matchAll(pattern)) {
    const line = text.slice(0, match.index).split('\n').length;
    yield [`${file}:${line}`, match];
  }
}

/** Relative links of a Markdown file that lead nowhere, with their anchors. */
export function deadLinks(file: string, markdown: string): Citation[] {
  const dead: Citation[] = [];
  for (const [where, [, link = '']] of found(file, withoutCode(markdown), /\]\(([^)\s]+)\)/g)) {
    if (/^\w+:/.test(link)) continue;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : normalize(join(dirname(file), path));
    const isDead =
      !existsSync(target) || (anchor !== undefined && target.endsWith('.md') && !hasAnchor(target, anchor));
    if (isDead) dead.push({ where, cited: link });
  }
  return dead;
}

const PATH = new RegExp(`(?<![\\w./@-])(?:\\./)?((?:${FOLDERS.join('|')})/[\\w.*/<>-]+)(?:#([\\w-]+))?`, 'g');

/** Paths from the root of the repository that do not exist. A name with `*` or `<…>` stands for many and is not checked. */
export function deadPaths(file: string, text: string): Citation[] {
  const dead: Citation[] = [];
  for (const [where, [cited, given = '', anchor]] of found(file, text, PATH)) {
    const path = given.replace(/[./-]+$/, '');
    if (/[*<>]/.test(given) || path.includes('..')) continue;
    const isThere = existsSync(path) || isDecision(path);
    if (!isThere || (anchor !== undefined && !hasAnchor(path, anchor))) dead.push({ where, cited });
  }
  return dead;
}

const decisions = (): string[] => readdirSync('docs/decisions');
/** `docs/decisions/0028` is cited without its title. */
const isDecision = (path: string): boolean => {
  const number = /^docs\/decisions\/(\d{4})$/.exec(path)?.[1];
  return number !== undefined && decisions().some((name) => name.startsWith(number));
};

export function deadDecisions(file: string, text: string): Citation[] {
  return [...found(file, text, /\b[Dd]ecision (\d+)\b/g)].flatMap(([where, [cited, number = '']]) =>
    isDecision(`docs/decisions/${number.padStart(4, '0')}`) ? [] : [{ where, cited }],
  );
}

/** Names in backticks that look like names in the code, in camelCase or UPPER_CASE. */
export const namesIn = (markdown: string): string[] => [
  ...new Set(
    [...withoutCode(markdown).matchAll(/`([a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)`/g)].map(([, name = '']) => name),
  ),
];

/** "`name` in `file`", and table cells with a file and then a function: the file has no such name. */
export function deadNames(file: string, markdown: string): Citation[] {
  const pairs = [
    ...[...found(file, markdown, /`(\w+)` in `([\w./-]+\.ts)`/g)].map(
      ([where, [, name = '', path = '']]) => ({ where, name, path }),
    ),
    ...[...found(file, markdown, /\| `([\w./-]+\.ts)` \| `(\w+)` \|/g)].map(
      ([where, [, path = '', name = '']]) => ({ where, name, path }),
    ),
  ];
  return pairs.flatMap(({ where, name, path }) =>
    existsSync(path) && new RegExp(`\\b${name}\\b`).test(textOf(path))
      ? []
      : [{ where, cited: `${name} in ${path}` }],
  );
}

export const told = (citations: readonly Citation[]): string[] =>
  citations.map(({ where, cited }) => `${where}: ${cited}`);
