// The code of README, docs and examples imports names that the package exports, and compiles.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>;
};
const EXPORTED = Object.keys(exports).map((name) => name.replace(/^\./, 'punctual'));

const documents = ['README.md', 'CONTRIBUTING.md']
  .concat(readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`))
  .concat(readdirSync(join(ROOT, 'examples')).map((name) => `examples/${name}/README.md`))
  .filter((name) => name.endsWith('.md') && existsSync(join(ROOT, name)));

interface Block {
  readonly document: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

const blocks = documents.flatMap((document): Block[] => {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return [...text.matchAll(/^```(ts|js|typescript|javascript)\n([\s\S]*?)^```/gm)].map((found) => ({
    document,
    line: text.slice(0, found.index).split('\n').length,
    language: found[1] ?? '',
    code: found[2] ?? '',
  }));
});
const specifiersOf = (code: string): string[] =>
  [...code.matchAll(/(?:from|import|require\()\s*\(?['"]([^'"]+)['"]/g)].map(([, name = '']) => name);

describe('code in documents', () => {
  it('imports only names that the package exports', () => {
    const wrong = blocks.flatMap(({ document, line, code }) =>
      specifiersOf(code)
        .filter((name) =>
          /^punctual(\/|$)/.test(name) ? !EXPORTED.includes(name) : /^\.\.?\/(src|lib)\//.test(name),
        )
        .map((name) => `${document}:${line} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is there for every part of the package', () => {
    const used = new Set(blocks.flatMap(({ code }) => specifiersOf(code)));
    const parts = EXPORTED.filter((name) => name !== 'punctual' && name !== 'punctual/package.json');
    expect(parts.filter((name) => !used.has(name))).toEqual([]);
  });

  /** Blocks that are programs of their own: those that import a part of the package. */
  const programs = blocks.filter(({ code }) => specifiersOf(code).some((name) => EXPORTED.includes(name)));

  it('that imports the package compiles', { timeout: 120_000 }, () => {
    expect(programs.length).toBeGreaterThan(2);
    // In the checkout, so that the compiler finds zod and the CDK.
    const folder = mkdtempSync(join(ROOT, 'test/tools/.doc-imports-'));
    try {
      for (const { document, line, code } of programs)
        writeFileSync(join(folder, `${document.replace(/\W/g, '-')}-${line}.ts`), `${code}\nexport {};\n`);
      const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({
          extends: join(ROOT, 'tsconfig.json'),
          compilerOptions,
          include: ['*.ts'],
          exclude: [],
        }),
      );
      execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } catch (error) {
      throw new Error((error as { stdout?: string }).stdout ?? String(error));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
