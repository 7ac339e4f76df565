// esbuild plugins of the console.
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/** Leaves out Cloudscape's messages in the 15 languages that the console does not have. */
export const cloudscapeInEnglish: Plugin = {
  name: 'cloudscape-in-english',
  setup({ onLoad }) {
    onLoad({ filter: /\/@cloudscape-design\/components\/i18n\/dynamic\.js$/ }, () => ({
      contents: 'export const importMessages = () => Promise.resolve([]);',
    }));
  },
};

/** Keeps imports of CSS. `sideEffects: false` of package.json, meant for the client, would drop them. */
export const keepStyles: Plugin = {
  name: 'keep-styles',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.css$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path),
      sideEffects: true,
    }));
  },
};

/** Leaves CSS out of the scripts. esbuild would write a file per lazy chunk, and nothing would load it. */
export const withoutStyles: Plugin = {
  name: 'without-styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, () => ({ contents: '', loader: 'js' }));
  },
};

/** Fails the build if CSS embeds a font, because the content security policy loads fonts from files only. */
export const refuseEmbeddedFonts: Plugin = {
  name: 'refuse-embedded-fonts',
  setup({ onResolve }) {
    onResolve({ filter: /^data:(application\/(x-)?font|font\/)/ }, ({ importer }) => ({
      errors: [{ text: `${importer} embeds a font, which the content security policy refuses` }],
    }));
  },
};
