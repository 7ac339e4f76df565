// The schedule engine runs in a browser: its entry points load no module of Node and no zod.
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const DOMAIN = join(import.meta.dirname, '..', '..', 'src', 'domain');

const ENTRIES = [
  'schedule/normalize.ts',
  'schedule/preview.ts',
  'schedule/occurrences.ts',
  'schedule/describe.ts',
  'schedule/warnings.ts',
  'schedule/interval.ts',
  'schedule/audit.ts',
  'jobs/pauses.ts',
  'jobs/policy-defaults.ts',
  'jobs/notify-events.ts',
  'value-changes.ts',
];

const isNodeModule = (path: string): boolean => path.startsWith('node:') || builtinModules.includes(path);

async function bundled(entry: string) {
  const { metafile } = await build({
    entryPoints: [join(DOMAIN, entry)],
    absWorkingDir: DOMAIN,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    // A module of Node would fail the build. As an external one it is listed by name.
    external: ['node:*', ...builtinModules],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return {
    files: Object.keys(metafile.inputs),
    imports: Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path)),
  };
}

describe('the schedule engine in a browser', () => {
  it.each(ENTRIES)('%s loads src/domain and lru-cache only', async (entry) => {
    const { files, imports } = await bundled(entry);
    expect(files).toContain(entry);
    const foreign = files.filter((file) => file.startsWith('..') || file.includes('node_modules'));
    expect(foreign.filter((file) => !file.includes('node_modules/lru-cache/'))).toEqual([]);
    expect(imports.filter(isNodeModule)).toEqual([]);
  });

  it('would notice a module of Node and zod', async () => {
    expect((await bundled('digest.ts')).imports.filter(isNodeModule)).toEqual(['node:crypto']);
    const { files } = await bundled('schedule/resolve.ts');
    expect(files.some((file) => file.includes('node_modules/zod'))).toBe(true);
  });
});
