// package-lock.json: npm compares what it installs with the hashes of this file.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  /** The address of a package, or the folder of a workspace. */
  readonly resolved?: string;
  readonly link?: true;
  /** The package is a part of the one that it is in. */
  readonly inBundle?: true;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Locked>;
};
const fromRegistry = Object.entries(packages).filter(
  ([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle,
);

/** Programs of Biome for other platforms. Their hash is not known yet: the registry that wrote the lock file did not have them. */
const UNKNOWN = /^node_modules\/@biomejs\/cli-(android|darwin|win32)-(arm64|x64)$/;

it('has a hash for every package of the registry', () => {
  expect(fromRegistry.length).toBeGreaterThan(100);
  const without = fromRegistry.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(without.map(([path]) => path).filter((path) => !UNKNOWN.test(path))).toEqual([]);
});

it('has no address of a registry', () => {
  const addresses = Object.values(packages).flatMap(({ resolved }) => resolved ?? []);
  expect(addresses.filter((address) => /^\w+:/.test(address))).toEqual([]);
});

it.each(['Dockerfile', 'Dockerfile.scripts'])('%s names its base image by digest', (file) => {
  const text = readFileSync(file, 'utf8');
  const bases = [...text.matchAll(/^(?:FROM (?!\$)|ARG BASE=)(\S+)/gm)].map(([, base]) => base);
  expect(bases).toEqual([expect.stringMatching(/^node@sha256:[0-9a-f]{64}$/)]);
});
