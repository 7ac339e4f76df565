// The changelog of a release, and what a version number promises (docs/versioning.md).
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  nextVersion,
  notesOf,
  refusal,
  released,
  sectionsOf,
  smallestBump,
  versionToRelease,
} from '../../tools/release/changelog.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const changelog = (...kinds: string[]) => `# Changelog

## Unreleased
${kinds.map((kind) => `### ${kind}\n- A change.\n`).join('\n')}
## 0.1.0 - 2026-01-01
### Added
- The first version.
`;

describe('a release', () => {
  it('moves the unreleased changes under its version, and keeps the rest', () => {
    const after = released(changelog('Added'), '0.2.0', '2026-02-03');
    expect(sectionsOf(after).map(({ name }) => name)).toEqual(['Unreleased', '0.2.0', '0.1.0']);
    expect(notesOf(after, 'Unreleased')).toBeUndefined();
    expect(notesOf(after, '0.2.0')).toBe('### Added\n- A change.');
    expect(notesOf(after, '0.1.0')).toBe('### Added\n- The first version.');
    expect(after).toContain('## 0.2.0 - 2026-02-03\n');
  });

  it.each([
    [['Fixed'], '0.1.0', 'patch'],
    [['Security', 'Fixed'], '1.2.0', 'patch'],
    [['Added', 'Fixed'], '0.1.0', 'minor'],
    [['Changed'], '1.2.0', 'minor'],
    [['Removed'], '0.1.0', 'minor'],
    [['Removed', 'Fixed'], '1.2.0', 'major'],
    [[], '1.2.0', undefined],
  ] as const)('with %j after %s needs at least %s', (kinds, version, bump) => {
    expect(smallestBump(changelog(...kinds), version)).toBe(bump);
  });

  it('is refused if the step is too small or nothing has changed', () => {
    expect(refusal(changelog('Added'), '0.1.0', 'patch')).toContain('need a minor version, got patch');
    expect(refusal(changelog(), '0.1.0', 'minor')).toContain('nothing to release');
    expect(refusal(changelog('Fixed'), '0.1.0', 'major')).toBeUndefined();
  });

  it('has the next number', () => {
    expect(nextVersion('0.1.9', 'patch')).toBe('0.1.10');
    expect(nextVersion('0.1.9', 'minor')).toBe('0.2.0');
    expect(nextVersion('0.1.9', 'major')).toBe('1.0.0');
  });

  it('has the version of package.json if that one was not released', () => {
    const first =
      '# Changelog\n\n## Unreleased\nNo version has been released yet. The next one is 0.1.0.\n\n### Added\n- A.\n';
    expect(versionToRelease(first, '0.1.0', 'minor')).toBe('0.1.0');
    expect(versionToRelease(changelog('Added'), '0.1.0', 'minor')).toBe('0.2.0');
    expect(notesOf(released(first, '0.1.0', '2026-02-03'), '0.1.0')).toBe('### Added\n- A.');
  });

  it('is prepared, checked and described by the command', () => {
    const folder = mkdtempSync(join(tmpdir(), 'punctual-release-'));
    try {
      const files = ['tools/release', 'examples/cdk-app/package.json', 'CHANGELOG.md'];
      for (const file of [...files, 'package.json', 'package-lock.json'])
        cpSync(join(ROOT, file), join(folder, file), { recursive: true });
      const release = (...args: string[]) =>
        execFileSync(process.execPath, [join(folder, 'tools/release/main.ts'), ...args], {
          encoding: 'utf8',
        });
      const versionOf = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')).version;
      const [, command = ''] =
        /prepared \S+ Review the changes, then:\n\n([\s\S]+)/.exec(release('major')) ?? [];
      const version = versionOf('package.json');
      // a tag without a message is not pushed by --follow-tags
      expect(command).toContain(`git tag --annotate v${version} --message`);
      expect(versionOf('package-lock.json')).toBe(version);
      expect(readFileSync(join(folder, 'examples/cdk-app/package.json'), 'utf8')).toContain(
        `"punctual": "^${version}"`,
      );
      expect(release('--check', `v${version}`)).toContain('can be published');
      expect(release('--notes', `v${version}`)).toMatch(/^### /);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('can read the changelog of this repository', () => {
    const [first] = sectionsOf(readFileSync('CHANGELOG.md', 'utf8'));
    expect(first?.name).toBe('Unreleased');
  });
});
