// The client and the test kit of the installed package: the client as an ES module, as CommonJS, on an older Node, in a bundle for
// browsers, and its types.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Checks, expect, expectEqual } from './checks.ts';
import { type Server, startServer } from './command.ts';
import { type Consumer, ROOT } from './consumer.ts';
import { olderNode, output } from './processes.ts';

const MAX_BROWSER_KB = 16;

export async function clientChecks(checks: Checks, consumer: Consumer): Promise<void> {
  const old = await olderNode();
  let server: Server | undefined;
  await checks.run('a server for the client starts on the data of the first one', async () => {
    server = await startServer(consumer);
  });
  const script = async (node: string, file: string) => {
    const env = { URL: server?.url ?? '', TOKEN: server?.token ?? '' };
    return JSON.parse(await output(node, [consumer.file(file)], { cwd: consumer.folder, env }));
  };
  for (const node of [process.execPath, ...(old === undefined ? [] : [old])]) {
    const version = (await output(node, ['--version'], { cwd: consumer.folder })).trim();
    await checks.run(`the client as an ES module on ${version}`, async () =>
      expectEqual(await script(node, 'client.mjs'), ['succeeded', { rows: 3 }, true, 400, false]),
    );
    await checks.run(`the client as CommonJS on ${version}`, async () =>
      expectEqual(await script(node, 'client.cjs'), [['cjs'], true, 404]),
    );
  }
  await checks.run('a month of a custom task in a test', async () =>
    expectEqual(await script(process.execPath, 'month.mjs'), [30, 30, 'failed', 1]),
  );
  await checks.run('SIGTERM stops this server, too', async () => {
    await server?.stop();
  });
  await checks.run('the client for browsers imports nothing', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "export * from 'punctual/client';", resolveDir: consumer.folder },
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    const text = outputFiles[0]?.text ?? '';
    expect(!/node:|require\(/.test(text), () => 'it imports modules of Node');
    expect(text.length < MAX_BROWSER_KB * 1024, () => `${text.length} bytes`);
    return `${(text.length / 1024).toFixed(1)} KB minified`;
  });
  await checks.run('types compile without skipLibCheck', async () => {
    for (const peer of ['aws-cdk-lib', 'constructs', '@types/node']) consumer.addPeer(peer);
    const compilerOptions = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      // The packages of the checkout are linked, and tsc would look for their dependencies in the checkout twice.
      preserveSymlinks: false,
    };
    const files = ['types.ts', 'types.cts', 'tasks/picky.ts'];
    writeFileSync(consumer.file('tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await output(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], {
      cwd: consumer.folder,
    });
  });
}
