// The documents that people open first: what they name exists.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const linksIn = (file: string): string[] =>
  [...textOf(file).matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, link = '']) => link);

it('SECURITY.md says how to report, which versions are supported, and the threat model', () => {
  const policy = textOf('SECURITY.md');
  for (const heading of ['## Report a vulnerability', '## Supported versions', '## Threat model'])
    expect(policy).toContain(heading);
  const { version } = JSON.parse(textOf('package.json'));
  expect(policy).toContain(`${version.split('.').slice(0, 2).join('.')}.x`);
});

it('SECURITY.md is found from README, from the security model and from the guide for contributors', () => {
  expect(linksIn('README.md')).toContain('SECURITY.md');
  expect(linksIn('docs/security.md')).toContain('../SECURITY.md');
  expect(linksIn('CONTRIBUTING.md')).toContain('SECURITY.md');
});

it.each(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/security.md', 'docs/tasks.md', 'docs/api.md'])(
  'the links in %s lead to files that exist',
  (file) => {
    const local = linksIn(file).filter((link) => !/^\w+:/.test(link));
    expect(local.filter((link) => !existsSync(join(dirname(file), link)))).toEqual([]);
  },
);
