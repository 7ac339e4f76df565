// esbuild plugins that leave unused code out of a bundle.
import type { Plugin } from 'esbuild';

/** Leaves out zod's messages in other languages, which are more than half of its size. */
export const onlyEnglish: Plugin = {
  name: 'only-english',
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Leaves out the packages that tasks import dynamically when they run. A run in such a bundle would fail with an import
 * error.
 */
export const withoutTaskPackages: Plugin = {
  name: 'without-task-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && importer.includes('/src/tasks/') ? { path, external: true } : undefined,
    );
  },
};
