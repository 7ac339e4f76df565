// Builds, packs and installs the package, and checks its contents.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Checks, expect, expectEqual } from './checks.ts';
import { type Consumer, ROOT } from './consumer.ts';
import { output, run } from './processes.ts';

const MAX_TARBALL_MB = 3;
const MAX_INSTALLED_MB = 25;
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const bin = (name: string) => join(ROOT, 'node_modules/.bin', name);

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(2)} MB`;

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const file of filesIn(folder))
    hash.update(relative(folder, file)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

export async function packageChecks(checks: Checks, consumer: Consumer): Promise<void> {
  const dist = join(ROOT, 'dist');
  let tarball = '';
  await checks.run('npm pack builds the package, and a second build gives the same files', async () => {
    await output(process.execPath, ['tools/build/main.ts'], { cwd: ROOT });
    const first = digestOf(dist);
    const out = await output(NPM, ['pack', '--json', '--pack-destination', consumer.folder], { cwd: ROOT });
    tarball = consumer.file(/punctual-[\w.-]+\.tgz/.exec(out)?.[0] ?? '');
    expectEqual(digestOf(dist), first);
    return first.slice(0, 12);
  });
  await checks.run(`the package has at most ${MAX_TARBALL_MB} MB`, () => {
    const { size } = statSync(tarball);
    expect(size < MAX_TARBALL_MB * 1_000_000, () => megabytes(size));
    return megabytes(size);
  });
  await checks.run('publint has no complaint', async () => {
    const { code, out, err } = await run(bin('publint'), ['--strict', tarball], { cwd: ROOT });
    expect(code === 0, () => out + err);
  });
  await checks.run('the types of the client are right for every moduleResolution of TypeScript', () =>
    typesAreRight(tarball, ['.', './client'], 'strict'),
  );
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>;
  };
  const others = Object.keys(exports).filter((name) => !['.', './client', './package.json'].includes(name));
  await checks.run(`the types of ${others.join(', ')} are right for ES modules`, () =>
    typesAreRight(tarball, others, 'esm-only'),
  );
  await checks.run('it installs with --omit=dev, and brings only zod', async () => {
    const args = ['install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', tarball];
    await output(NPM, args, { cwd: consumer.folder });
    const installed = readdirSync(consumer.file('node_modules')).filter((name) => !name.startsWith('.'));
    expectEqual(installed, ['punctual', 'zod']);
    const sizes = filesIn(consumer.file('node_modules')).map((file) => statSync(file).size);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    expect(size < MAX_INSTALLED_MB * 1_000_000, () => megabytes(size));
    return megabytes(size);
  });
}

async function typesAreRight(
  tarball: string,
  entrypoints: readonly string[],
  profile: string,
): Promise<void> {
  const args = [tarball, '--profile', profile, '--no-color', '--no-emoji', '--entrypoints', ...entrypoints];
  const { code, out, err } = await run(bin('attw'), args, { cwd: ROOT });
  expect(code === 0, () => out + err);
}
