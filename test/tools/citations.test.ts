// What documents and comments cite exists, and the protocol's page has every rule that the simulator takes out.
import { describe, expect, it } from 'vitest';
import { MUTATIONS } from '../simulation/mutations.ts';
import {
  commentsOf,
  deadDecisions,
  deadLinks,
  deadNames,
  deadPaths,
  markdownFiles,
  namesIn,
  sourceFiles,
  textOf,
  told,
} from './citations.ts';

const protocol = textOf('docs/protocol.md');

/** A decision that is not in force any more may name files that are gone. */
const isHistory = (file: string): boolean =>
  file.startsWith('docs/decisions/') && /^\*?\*?Superseded by /m.test(textOf(file).slice(0, 400));

describe('in the documents', () => {
  it('every relative link leads to a file and a heading that exist', () => {
    expect(markdownFiles().flatMap((file) => told(deadLinks(file, textOf(file))))).toEqual([]);
  });

  it('every path exists', () => {
    const files = markdownFiles().filter((file) => !isHistory(file) && file !== 'CHANGELOG.md');
    expect(files.flatMap((file) => told(deadPaths(file, textOf(file))))).toEqual([]);
  });

  it('every decision that is cited exists', () => {
    expect(markdownFiles().flatMap((file) => told(deadDecisions(file, textOf(file))))).toEqual([]);
  });

  it('every name that is cited with its file is in that file', () => {
    expect(markdownFiles().flatMap((file) => told(deadNames(file, textOf(file))))).toEqual([]);
  });

  it('docs/architecture.md counts the steps of its walk right', () => {
    const text = textOf('docs/architecture.md');
    const files = [...text.matchAll(/^\| \d+ \| `([^`]+)` \|/gm)].map(([, file = '']) => file);
    const returns = files.filter((file, i) => file !== files[i - 1] && files.slice(0, i).includes(file));
    expect(text).toContain(
      `${files.length} steps through ${new Set(files).size} files, with ${returns.length} returns`,
    );
  });

  it.each(['docs/protocol.md', 'docs/architecture.md', 'docs/glossary.md'])(
    'every name of the code in %s is in the code',
    (file) => {
      const code = sourceFiles().filter((name) => !name.startsWith('test/tools/'));
      const text = code.map(textOf).join('\n');
      expect(namesIn(textOf(file)).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
    },
  );
});

describe('in comments', () => {
  const files = sourceFiles().filter((file) => !file.startsWith('test/tools/citations'));
  const comments = files.map((file) => [file, commentsOf(textOf(file))] as const);

  it('every path exists', () => {
    expect(comments.flatMap(([file, text]) => told(deadPaths(file, text)))).toEqual([]);
  });

  it('every decision that is cited exists', () => {
    expect(comments.flatMap(([file, text]) => told(deadDecisions(file, text)))).toEqual([]);
  });
});

it('no page outside the repository is cited', () => {
  const files = [...markdownFiles(), ...sourceFiles()].filter(
    (file) => !file.startsWith('test/tools/citations'),
  );
  const outside = /\b(PROTOCOL|FACTS|DESIGN|ENGINE|STYLE)\.md|\bshared\//;
  expect(files.filter((file) => outside.test(textOf(file)))).toEqual([]);
});

it('docs/protocol.md names each rule that the simulator takes out', () => {
  expect(MUTATIONS.map(({ rule }) => rule).filter((rule) => !protocol.includes(`\`${rule}\``))).toEqual([]);
});

describe('the check', () => {
  it('finds a link without its file, and an anchor without its heading', () => {
    const text =
      '[a](docs/none.md)\n[b](docs/protocol.md#none) [c](docs/protocol.md#settle) [d](https://x.y/z)';
    expect(told(deadLinks('X.md', text))).toEqual(['X.md:1: docs/none.md', 'X.md:2: docs/protocol.md#none']);
  });

  it('finds a path that is gone, and takes decisions by their number', () => {
    const text =
      'src/none.ts, `src/scheduling/claiming/claim.ts`. docs/decisions/0028 docs/decisions/9999 src/*/x.ts';
    expect(told(deadPaths('x.ts', text))).toEqual(['x.ts:1: src/none.ts', 'x.ts:1: docs/decisions/9999']);
    expect(told(deadPaths('x.ts', 'docs/protocol.md#none'))).toHaveLength(1);
    expect(told(deadDecisions('x.md', 'decision 2 and decision 999'))).toEqual(['x.md:1: decision 999']);
  });

  it('finds a name that is not in the file it is cited with', () => {
    const text =
      '`noSuchName` in `src/domain/executions/ids.ts`, `dueKey` in `src/domain/executions/ids.ts`\n| `src/none.ts` | `x` |';
    expect(told(deadNames('x.md', text))).toEqual([
      'x.md:1: noSuchName in src/domain/executions/ids.ts',
      'x.md:2: x in src/none.ts',
    ]);
  });

  it('looks at comments, not at code', () => {
    const source = "const a = 'src/none.ts'; // src/gone.ts\n/** src/lost.ts */\nconst b = 'http://x/y';";
    expect(told(deadPaths('x.ts', commentsOf(source)))).toEqual([
      'x.ts:1: src/gone.ts',
      'x.ts:2: src/lost.ts',
    ]);
  });

  it('knows the names of code in backticks', () => {
    expect(namesIn('`writeHead` in `claim`, `MAX_ROUNDS`, `overlap: allow`')).toEqual([
      'writeHead',
      'MAX_ROUNDS',
    ]);
  });
});
