// Copies the files of a built console that are served: the page and the compressed assets. The server decompresses them for the
// rare browser that does not accept brotli.
import { cpSync } from 'node:fs';
import { basename } from 'node:path';

const isServed = (path: string): boolean => {
  const name = basename(path);
  return !name.includes('.') || name === 'index.html' || name.endsWith('.br');
};

export const copyConsole = (from: string, to: string): void =>
  cpSync(from, to, {
    recursive: true,
    // The first path is the folder itself, and folders of a build have no dot in their name.
    filter: (path) => path === from || isServed(path),
  });
