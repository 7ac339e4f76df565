// Builds the client: as an ES module and as CommonJS, each for Node and for everything else, with declarations for both.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { contractTypes, openApiTypes } from './client-types.ts';
import { emitDeclarations } from './declarations.ts';
import { DIST, ROOT } from './package-entries.ts';

const CLIENT = join(DIST, 'client');
const ENTRY = 'src/client/client.ts';

/** Node 18 has WebCrypto without the global variable. Browsers have no `node:crypto`, so they get another build. */
const NODE_CRYPTO = "export { webcrypto as crypto } from 'node:crypto';";

export async function buildClient(): Promise<void> {
  const sources = copyOfSources();
  try {
    writeFileSync(join(sources, 'client/contract-types.ts'), contractTypes());
    writeFileSync(join(sources, 'client/openapi.ts'), await openApiTypes());
    const shim = join(sources, 'crypto.js');
    writeFileSync(shim, NODE_CRYPTO);
    for (const format of ['esm', 'cjs'] as const) {
      const folder = format === 'esm' ? CLIENT : join(CLIENT, 'cjs');
      const common: BuildOptions = {
        absWorkingDir: ROOT,
        entryPoints: [ENTRY],
        bundle: true,
        format,
        target: ['es2022', 'node18.17'],
        platform: 'neutral',
        external: ['node:crypto'],
        logLevel: 'warning',
      };
      await build({ ...common, outfile: join(folder, 'index.js') });
      await build({ ...common, outfile: join(folder, 'node.js'), inject: [shim] });
    }
    emitDeclarations({
      from: sources,
      files: ['client/client.ts'],
      to: join(CLIENT, 'types'),
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
    });
  } finally {
    rmSync(sources, { recursive: true, force: true });
  }
  // Files of this folder are CommonJS, for Node and for the compiler.
  writeFileSync(join(CLIENT, 'cjs/package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
  cpSync(join(CLIENT, 'types'), join(CLIENT, 'cjs/types'), { recursive: true });
}

/**
 * The source of the client and of the signatures, in a folder where `contract-types.ts` can be replaced. It is not in node_modules,
 * because tsc emits nothing for files there.
 */
function copyOfSources(): string {
  // The name is part of the output, so it is always the same.
  const folder = join(DIST, '.client');
  for (const file of readdirSync(join(ROOT, 'src/client')))
    cpSync(join(ROOT, 'src/client', file), join(folder, 'client', file));
  cpSync(join(ROOT, 'src/tasks/http/signature.ts'), join(folder, 'tasks/http/signature.ts'));
  return folder;
}
