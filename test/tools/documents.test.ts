// The documents that people open first, and the numbers of the decisions.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

it('CHANGELOG.md has the form of Keep a Changelog, and the version of package.json', () => {
  const text = textOf('CHANGELOG.md');
  const { version } = JSON.parse(textOf('package.json'));
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
  expect(headings[0]).toBe('Unreleased');
  for (const heading of headings.slice(1)) expect(heading).toMatch(/^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$/);
  const kinds = [...text.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind);
  for (const kind of kinds)
    expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toContain(kind);
  expect(text).toContain(version);
});

it('CONTRIBUTING.md says what is easy to get wrong and where things are', () => {
  const text = textOf('CONTRIBUTING.md');
  expect(text).toContain('## Easy to get wrong');
  expect(text).toContain('### Where things are that you would not expect');
});

const DECISIONS = 'docs/decisions';
const decisions = readdirSync(DECISIONS).sort();

it('each decision has a number of its own, in its name and in its title', () => {
  const numbers = decisions.map((name) => Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1]));
  expect(numbers).toEqual([...new Set(numbers)]);
  const titles = decisions.map((name) => textOf(join(DECISIONS, name)).split('. ', 1)[0]);
  expect(titles).toEqual(numbers.map((number) => `# ${number}`));
});
