// Reads and changes CHANGELOG.md: the section `Unreleased` becomes the section of a version.

export interface Section {
  /** `Unreleased`, or a version. */
  readonly name: string;
  readonly text: string;
}

const HEADING = /^## (.+)$/gm;

export function sectionsOf(changelog: string): Section[] {
  const headings = [...changelog.matchAll(HEADING)];
  return headings.map((heading, index) => ({
    name: (heading[1] ?? '').split(' - ')[0] ?? '',
    text: changelog.slice(heading.index + heading[0].length, headings[index + 1]?.index).trim(),
  }));
}

/** The section of a version. Undefined if there is none, or if it is empty. */
export const notesOf = (changelog: string, version: string): string | undefined =>
  sectionsOf(changelog).find(({ name }) => name === version)?.text || undefined;

export type Bump = 'major' | 'minor' | 'patch';

/** The smallest step that docs/versioning.md allows for the unreleased changes. Undefined if there are none. */
export function smallestBump(changelog: string, version: string): Bump | undefined {
  const text = notesOf(changelog, 'Unreleased');
  if (text === undefined) return undefined;
  const kinds = [...text.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind);
  if (kinds.some((kind) => kind === 'Removed') && !version.startsWith('0.')) return 'major';
  return kinds.every((kind) => kind === 'Fixed' || kind === 'Security') ? 'patch' : 'minor';
}

export function nextVersion(version: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (bump === 'major') return `${major + 1}.0.0`;
  return bump === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** The version of the next release. A version without a section in the changelog has not been released, so it is the next one. */
export const versionToRelease = (changelog: string, version: string, bump: Bump): string =>
  sectionsOf(changelog).some(({ name }) => name === version) ? nextVersion(version, bump) : version;

const STEPS: readonly Bump[] = ['patch', 'minor', 'major'];

/** The reason why `bump` is not allowed. Undefined if it is. */
export function refusal(changelog: string, version: string, bump: Bump): string | undefined {
  const smallest = smallestBump(changelog, version);
  if (smallest === undefined)
    return 'the section "Unreleased" of CHANGELOG.md is empty: there is nothing to release';
  return STEPS.indexOf(bump) < STEPS.indexOf(smallest)
    ? `the unreleased changes need a ${smallest} version, got ${bump} (docs/versioning.md)`
    : undefined;
}

/** The sentence of a changelog without releases. */
const NONE_YET = /^No version has been released yet\..*\n+/m;

/** The changelog with the unreleased changes under the version, and an empty section for the next ones. */
export const released = (changelog: string, version: string, day: string): string =>
  changelog.replace(NONE_YET, '').replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} - ${day}\n`);
