// Dynamic imports of CommonJS packages. In files of its own esbuild gives such a package a default export and nothing
// else: `const { fetch } = await import('undici')` would be undefined in the bundle, and nowhere else. So what is imported
// is a module that exports the names, and a package that has been forgotten here stops the build.
import type { Metafile, Plugin } from 'esbuild';

const PACKAGES = ['undici'];
const NAMESPACE = 'named-exports';

export const namedExports: Plugin = {
  name: NAMESPACE,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${PACKAGES.join('|')})$`) }, ({ path, kind, namespace }) =>
      kind === 'dynamic-import' && namespace !== NAMESPACE ? { path, namespace: NAMESPACE } : undefined,
    );
    onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter(
        (name) => name !== 'default' && name !== 'module.exports',
      );
      return {
        contents: `import all from ${JSON.stringify(path)};\nexport const { ${names.join(', ')} } = all;\nexport default all;`,
        resolveDir: import.meta.dirname,
      };
    });
  },
};

/** Throws when our own code imports a CommonJS module dynamically. */
export function refuseCommonJs({ inputs }: Metafile): void {
  for (const [file, { imports }] of Object.entries(inputs)) {
    if (!file.startsWith('src/') && !file.startsWith('tasks/')) continue;
    for (const { path, kind } of imports) {
      if (kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
        throw new Error(
          `${file} imports ${path} dynamically, which is CommonJS: name its package in lib/bundling/commonjs-interop.ts`,
        );
    }
  }
}
