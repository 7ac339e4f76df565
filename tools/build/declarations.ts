// Emits the declarations of the package's entry points with tsc. Imports name the emitted files (`./x.js`), and declarations that no
// entry point reaches are removed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ALLOWED_PACKAGES, packageOf, ROOT } from './package-entries.ts';

interface Emit {
  /** The folder that `files` are relative to. */
  readonly from: string;
  readonly files: readonly string[];
  readonly to: string;
  /** Types of the platform, besides the language. Default: those of Node. */
  readonly lib?: readonly string[];
  readonly types?: readonly string[];
}

/** The specifiers of imports, exports and `import('…')` types. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\2/g;

export function emitDeclarations({ from, files, to, lib, types }: Emit): void {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'punctual-declarations-'));
  const config = join(folder, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        rewriteRelativeImportExtensions: true,
        rootDir: from,
        outDir: to,
        ...(lib && { lib }),
        ...(types && { types }),
      },
      include: [],
      files: files.map((file) => join(from, file)),
    }),
  );
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config], {
      cwd: ROOT,
      stdio: 'inherit',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const file of declarationsIn(to)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, withEmittedNames(text));
  }
  prune(
    to,
    files.map((file) => join(to, file.replace(/\.ts$/, '.d.ts'))),
  );
}

/** tsc leaves the `.ts` of the source in declarations. */
const withEmittedNames = (text: string): string =>
  text.replace(SPECIFIER, (all, keyword: string, quote: string, specifier: string) =>
    /^\.{1,2}\/.*\.ts$/.test(specifier) && !specifier.endsWith('.d.ts')
      ? `${keyword}${quote}${specifier.replace(/\.ts$/, '.js')}${quote}`
      : all,
  );

const declarationsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => join(folder, file));

function prune(folder: string, entries: readonly string[]): void {
  const reached = new Set(entries);
  for (const file of reached) {
    for (const [, , , specifier = ''] of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
      if (specifier.startsWith('.')) {
        reached.add(join(dirname(file), specifier.replace(/\.js$/, '.d.ts')));
      } else if (!specifier.startsWith('node:') && !ALLOWED_PACKAGES.includes(packageOf(specifier))) {
        throw new Error(
          `${relative(ROOT, file)} imports types of ${specifier}, and users of the package may not have it. Write the type out.`,
        );
      }
    }
  }
  for (const file of declarationsIn(folder)) if (!reached.has(file)) rmSync(file);
}
