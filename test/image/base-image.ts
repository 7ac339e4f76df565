// A base image of this machine's own files, for machines that reach no registry of images: Node with its libraries, a shell, and the
// programs of the health check. It has what the Dockerfile expects of `node:24-slim`: a user `node` with the id 1000, and /tmp.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PROGRAMS: Readonly<Record<string, string>> = {
  '/usr/local/bin/node': process.execPath,
  '/bin/sh': '/bin/sh',
  '/usr/bin/find': '/usr/bin/find',
  '/usr/bin/test': '/usr/bin/test',
};

export const BASE_PATH = '/usr/local/bin:/usr/bin:/bin';

export function writeBaseFolder(root: string): void {
  for (const folder of ['tmp', 'proc', 'dev', 'etc', 'app'])
    mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n',
  );
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  for (const [path, from] of Object.entries(PROGRAMS)) {
    copy(from, join(root, path));
    for (const library of librariesOf(from)) copy(library, join(root, library));
  }
}

/** The shared libraries and the loader, by absolute path. */
function librariesOf(program: string): string[] {
  const lines = execFileSync('ldd', [program], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
