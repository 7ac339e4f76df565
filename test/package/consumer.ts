// A project of a user: a temporary folder with the files of `consumer/`, and examples/cdk-app.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Consumer {
  readonly folder: string;
  /** The path of a file of the project. */
  file(...names: string[]): string;
  /** Makes a package of the checkout available, as if the user had installed it. */
  addPeer(name: string): void;
  remove(): void;
}

export function createConsumer(): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-package-'));
  // Node and the compiler search the parents of a folder. A package there would hide one that is missing.
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    if (existsSync(join(parent, 'node_modules')))
      throw new Error(`${parent} has a node_modules. Set TMPDIR to another folder.`);
    if (parent === dirname(parent)) break;
  }
  cpSync(join(import.meta.dirname, 'consumer'), folder, { recursive: true });
  cpSync(join(ROOT, 'examples/cdk-app'), join(folder, 'cdk-app'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
  const file = (...names: string[]) => join(folder, ...names);
  return {
    folder,
    file,
    addPeer(name) {
      mkdirSync(dirname(file('node_modules', name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), file('node_modules', name), 'junction');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
