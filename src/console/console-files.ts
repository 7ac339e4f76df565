// The files of a built console: `index.html` and the files of `assets/`. A file may be there as `<name>`, as `<name>.br`, or
// both. All are read at once, so a build can be removed while it is served. A request finds a file by its name in a map, never
// by a path.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { builtFile, type StaticFile } from '../api/http/static-file.ts';

export interface ConsoleFiles {
  readonly page: StaticFile;
  readonly assets: ReadonlyMap<string, StaticFile>;
}

const PAGE = 'index.html';
const BROTLI = '.br';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const OTHER_TYPE = 'application/octet-stream';

/** Throws if the folder has no `index.html`. */
export async function loadConsoleFiles(folder: string): Promise<ConsoleFiles> {
  const page = (await filesOf(folder, (name) => name.replace(/\.br$/, '') === PAGE)).get(PAGE);
  if (!page) throw new Error(`${folder} has no ${PAGE}`);
  return { page, assets: await filesOf(join(folder, 'assets')) };
}

async function filesOf(
  folder: string,
  isWanted: (name: string) => boolean = () => true,
): Promise<Map<string, StaticFile>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const stored = entries.filter((entry) => entry.isFile() && isWanted(entry.name)).map(({ name }) => name);
  const contents = new Map<string, Buffer>();
  await Promise.all(stored.map(async (name) => contents.set(name, await readFile(join(folder, name)))));
  const names = new Set(stored.map((name) => (name.endsWith(BROTLI) ? name.slice(0, -BROTLI.length) : name)));
  return new Map(
    [...names].map((name) => [
      name,
      builtFile(TYPES[extname(name)] ?? OTHER_TYPE, contents.get(name), contents.get(`${name}${BROTLI}`)),
    ]),
  );
}
