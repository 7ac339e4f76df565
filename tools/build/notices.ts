// Writes the licences and notices of the packages whose code is part of the package.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DIST, ROOT } from './package-entries.ts';

/** `inputs` are the files that were bundled or copied, relative to the checkout. Returns the number of packages. */
export function writeNotices(inputs: Iterable<string>): number {
  const notices = noticesOf(inputs);
  const parts = [...notices].map(([text, packages]) => `${packages.join('\n')}\n\n${text}`);
  writeFileSync(
    join(DIST, 'THIRD-PARTY-NOTICES.txt'),
    `The files of this folder contain code of these packages.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
  );
  return [...notices.values()].flat().length;
}

/** The packages of each text. */
export function noticesOf(inputs: Iterable<string>): Map<string, string[]> {
  const filesOf = new Map<string, string[]>();
  for (const file of inputs) {
    const folder = /^(?:.*:)?(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
    if (folder !== undefined) filesOf.set(folder, [...(filesOf.get(folder) ?? []), basename(file)]);
  }
  const byText = new Map<string, string[]>();
  for (const [folder, files] of [...filesOf].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { name, version, license } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    ) as {
      name: string;
      version: string;
      license?: string;
    };
    const text = textOf(folder, files) || `Licence: ${license ?? 'not stated'}`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license ?? 'see below'})`]);
  }
  return byText;
}

const NOTICE = /^(licen[cs]e|copying|notice|copyrightnotice|third-party-licen[cs]es)(\.|$)/i;

/** A file that is a bundle itself may have the licences of its parts beside it. */
const textOf = (folder: string, files: readonly string[]): string =>
  readdirSync(join(ROOT, folder))
    .filter((name) => NOTICE.test(name) || files.some((file) => name === `${file}.LICENSE.txt`))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8').trim())
    .join('\n\n');
