// Preloaded with --import: packages imported by files of this folder are
// looked up in PEERS_HOME/node_modules, so this folder needs no node_modules.
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const here = new URL('.', import.meta.url).href;
const parentURL = pathToFileURL(
  `${process.env.PEERS_HOME ?? join(tmpdir(), 'punctual-peers')}/package.json`,
).href;

registerHooks({
  resolve(specifier, context, next) {
    const redirect = !/^(\.|\/|[a-z]+:)/.test(specifier) && context.parentURL?.startsWith(here);
    return next(specifier, redirect ? { ...context, parentURL } : context);
  },
});
