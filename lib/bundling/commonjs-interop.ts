// Dynamic imports of CommonJS packages. esbuild gives such a package only a default export, so `fetch` would be undefined
// in `const { fetch } = await import('undici')`. The plugin imports a generated module with the named exports instead. A
// package that is missing in PACKAGES stops the build.
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

/** Throws if code of src/ or tasks/ imports a CommonJS module dynamically. */
export function refuseCommonJs({ inputs }: Metafile): void {
  for (const [file, { imports }] of Object.entries(inputs)) {
    if (!file.startsWith('src/') && !file.startsWith('tasks/')) continue;
    for (const { path, kind } of imports) {
      if (kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
        throw new Error(
          `${file} imports the CommonJS module ${path} dynamically. Add its package to PACKAGES in lib/bundling/commonjs-interop.ts.`,
        );
    }
  }
}
