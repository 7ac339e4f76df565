// The names that the package exports, and the files of the checkout behind them (`paths` of tsconfig.json).
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
export const DIST = join(ROOT, 'dist');

const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
  compilerOptions: { paths: Record<string, readonly [string]> };
};

/** The source file of each subpath: `{ client: 'src/client/client.ts', … }`. */
export const SUBPATHS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(compilerOptions.paths).flatMap(([name, [file]]) => {
    const subpath = /^punctual\/(.+)$/.exec(name)?.[1];
    return subpath === undefined ? [] : [[subpath, file.replace(/^\.\//, '')]];
  }),
);

/** The subpaths whose modules are for Node. The client has builds of its own. */
export const NODE_SUBPATHS = Object.entries(SUBPATHS).filter(([subpath]) => subpath !== 'client');

/** The packages that modules and declarations of the package may import: dependencies and peers. */
export const ALLOWED_PACKAGES = ['aws-cdk-lib', 'constructs', 'esbuild', 'zod'];

export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
