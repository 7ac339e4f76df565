// Bundles a folder of custom tasks into one module, which replaces the empty one of a prebuilt program. Used by the package: a
// checkout bundles tasks and program together. As a program: `node bundle-tasks.js <tasks folder> <file>`.
import { tasksModule } from './custom-tasks.ts';

const [folder = '', outfile = ''] = process.argv.slice(2);
const { build } = await import('esbuild').catch((cause: unknown) => {
  throw new Error(
    'custom tasks are bundled with esbuild, which is not installed. To install it: npm install --save-dev esbuild',
    { cause },
  );
});
const { onlyEnglish } = await import('./bundle-plugins.ts');

try {
  await build({
    stdin: { contents: tasksModule(folder), resolveDir: folder },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    // The same asset on every machine: a path of this machine must not become part of the file.
    absWorkingDir: folder,
    logLevel: 'silent',
    plugins: [onlyEnglish],
    banner: {
      js: "import{createRequire as punctualRequire}from'node:module';const require=punctualRequire(import.meta.url);",
    },
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
