// Lets code of the checkout import `punctual/client`, `punctual/tasks` and so on without a build: the names resolve to the files of
// `paths` in tsconfig.json, as they do for the compiler. `node --import ./bin/from-source.js <file>`. The package does not have
// this file.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const root = new URL('..', import.meta.url);

/** The source file of each name that the package exports. */
export const SOURCES = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8')).compilerOptions.paths).map(
    ([name, [file]]) => [name, new URL(file, root).href],
  ),
);

registerHooks({
  resolve: (specifier, context, next) =>
    Object.hasOwn(SOURCES, specifier)
      ? { url: SOURCES[specifier], shortCircuit: true }
      : next(specifier, context),
});
