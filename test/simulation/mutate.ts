// Applies a mutation to the source as it is loaded, in this process only.
//
// A comment in the source names a rule, and stands right before it. `/* [rule busy] */` marks the operand that follows, up to
// the next `&&`, `||`, `?`, `:`, comma or closing bracket. `// [rule busy]` on a line of its own marks the statement that
// follows. So the text of a rule, its line and its indentation may change, and the mutation still finds it.
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTATIONS, type Mutation } from './mutations.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const MARKER = /(\/\/|\/\*) \[rule ([\w-]+)\]/g;

/** The rules that the source marks, each with its files. */
export function markedRules(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const file = join(SRC, name);
    for (const [, , rule = ''] of readFileSync(file, 'utf8').matchAll(MARKER))
      found.set(rule, [...(found.get(rule) ?? []), file]);
  }
  return found;
}

/** What a mutation puts in the place of each rule that it takes out. Undefined for nothing, or for `true` in an expression. */
export const putsOf = ({ rule, puts }: Mutation): ReadonlyMap<string, string | undefined> =>
  new Map(typeof puts === 'object' ? Object.entries(puts) : [[rule, puts]]);

/** To be called before any file of src is imported. */
export function mutate(rule: string): void {
  const mutation = MUTATIONS.find((m) => m.rule === rule);
  if (!mutation)
    throw new Error(`no mutation "${rule}"; there are ${MUTATIONS.map((m) => m.rule).join(', ')}`);
  const marked = markedRules();
  const files = new Map<string, [string, string | undefined][]>();
  for (const [name, put] of putsOf(mutation)) {
    const [file, ...others] = marked.get(name) ?? [];
    if (file === undefined || others.length > 0)
      throw new Error(`[rule ${name}] occurs ${others.length + (file ? 1 : 0)} times in src, not once`);
    files.set(file, [...(files.get(file) ?? []), [name, put]]);
  }
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const edits = url.startsWith('file:') ? files.get(fileURLToPath(url)) : undefined;
      if (!edits || loaded.source == null) return loaded;
      const source = edits.reduce((text, [name, put]) => takeOut(text, name, put), String(loaded.source));
      return { ...loaded, source };
    },
  });
}

/** The text without the marked rule. `$&` in what is put there stands for the rule itself. */
export function takeOut(text: string, rule: string, put?: string): string {
  const marker = [...text.matchAll(MARKER)].find(([, , name]) => name === rule);
  if (!marker) throw new Error(`there is no [rule ${rule}]`);
  const isStatement = marker[1] === '//';
  const start = skipBlanks(text, marker.index);
  const end = isStatement ? endOfStatement(text, start) : endOfOperand(text, start);
  const taken = text.slice(start, end);
  if (taken === '') throw new Error(`[rule ${rule}] marks nothing`);
  const instead = put ?? (isStatement ? ';' : 'true');
  return text.slice(0, start) + instead.replaceAll('$&', () => taken) + text.slice(end);
}

/** The position after spaces and comments. */
const skipBlanks = (text: string, from: number): number =>
  from + (/^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from))?.[0].length ?? 0);

const LITERAL = /^(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[\s\S]*?\*\/)/;

/** The position at which `isEnd` is true of the rest, outside of brackets, strings and comments. */
function scan(text: string, from: number, isEnd: (rest: string, previous: string) => boolean): number {
  let depth = 0;
  let previous = '';
  for (let at = from; at < text.length; ) {
    const rest = text.slice(at, at + 400);
    if (depth === 0 && isEnd(rest, previous)) return at;
    const literal = LITERAL.exec(text.slice(at))?.[0];
    const char = text.charAt(at);
    if ('([{'.includes(char)) depth++;
    if (')]}'.includes(char)) depth--;
    at += literal?.length ?? 1;
    if (!literal && char.trim() !== '') previous = char;
  }
  return text.length;
}

const endOfOperand = (text: string, from: number): number => {
  const ends = /^(?:&&|\|\||\?(?![.?])|[:,;)\]}])/;
  const end = scan(text, from, (rest, previous) => ends.test(rest) && previous !== '?');
  return from + text.slice(from, end).trimEnd().length;
};

/** A statement ends after its semicolon, or after a block that nothing continues. */
const endOfStatement = (text: string, from: number): number =>
  scan(
    text,
    from,
    (rest, previous) =>
      previous === ';' || (previous === '}' && !/^\s*(?:[.,;)?=&|]|else\b|catch\b|finally\b)/.test(rest)),
  );
