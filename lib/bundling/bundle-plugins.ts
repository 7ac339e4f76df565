// What a bundle need not have: languages that nobody is answered in, and, for those who describe tasks and never run them,
// what a run would load.
import type { Plugin } from 'esbuild';

/** zod brings its messages in sixty languages, which are more than half of it. */
export const onlyEnglish: Plugin = {
  name: 'only-english',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** Tasks import the packages that they call others with when they run. Left out; to run one all the same would fail, and say so. */
export const neverRuns: Plugin = {
  name: 'never-runs',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && importer.includes('/src/tasks/') ? { path, external: true } : undefined,
    );
  },
};
