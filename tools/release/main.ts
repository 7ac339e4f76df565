// `npm run release -- patch|minor|major` prepares a release: the version of package.json and of the lock file, and the section of the
// changelog. A person reviews, commits and tags it. The tag starts .github/workflows/release.yml.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bump, notesOf, refusal, released, versionToRelease } from './changelog.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const USAGE = `usage: npm run release -- patch|minor|major | --check <tag> | --notes <tag>

Prepares a release: the version, and the section of CHANGELOG.md. Commit and tag it afterwards.

  --check <tag>   exit with 1 unless the tag is the version, and the changelog has its section
  --notes <tag>   print the section of the changelog
  --help          print this text`;

/** An app that depends on the package. */
const EXAMPLE = 'examples/cdk-app/package.json';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const write = (file: string, text: string): void => writeFileSync(join(ROOT, file), text);
const versionNow = (): string => (JSON.parse(read('package.json')) as { version: string }).version;

class ReleaseError extends Error {}

function prepare(bump: Bump, day: string): void {
  const [changelog, before] = [read('CHANGELOG.md'), versionNow()];
  const reason = refusal(changelog, before, bump);
  if (reason !== undefined) throw new ReleaseError(reason);
  const version = versionToRelease(changelog, before, bump);
  write('CHANGELOG.md', released(changelog, version, day));
  // The first "version" of package.json, and the first two of the lock file, are those of the package.
  for (const [file, count] of [
    ['package.json', 1],
    ['package-lock.json', 2],
  ] as const) {
    let left: number = count;
    write(
      file,
      read(file).replaceAll(`"version": "${before}"`, (text) =>
        left-- > 0 ? `"version": "${version}"` : text,
      ),
    );
  }
  write(EXAMPLE, read(EXAMPLE).replace(`"punctual": "^${before}"`, `"punctual": "^${version}"`));
  // `git push --follow-tags` pushes annotated tags only
  console.log(`prepared ${version}. Review the changes, then:

  git commit --all --message "release: ${version}"
  git tag --annotate v${version} --message "${version}" && git push --follow-tags`);
}

function notes(tag: string): string {
  const text = notesOf(read('CHANGELOG.md'), tag.replace(/^v/, ''));
  if (text === undefined)
    throw new ReleaseError(`CHANGELOG.md has no changes under ${tag.replace(/^v/, '')}`);
  return text;
}

function check(tag: string): void {
  const version = versionNow();
  if (tag !== `v${version}`) throw new ReleaseError(`the tag must be v${version}, got ${tag}`);
  notes(tag);
  console.log(`${tag} can be published`);
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      check: { type: 'string' },
      notes: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [bump = ''] = positionals;
  if (values.help) console.log(USAGE);
  else if (values.check !== undefined) check(values.check);
  else if (values.notes !== undefined) console.log(notes(values.notes));
  else if (positionals.length === 1 && ['patch', 'minor', 'major'].includes(bump))
    prepare(bump as Bump, new Date().toISOString().slice(0, 10));
  else throw new ReleaseError(USAGE);
}

try {
  main();
} catch (error) {
  console.error(error instanceof ReleaseError ? error.message : error);
  process.exitCode = 1;
}
