// Writes the licences of the packages whose code is part of the bundles.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, ROOT } from './package-entries.ts';

/** `inputs` are the files that were bundled, relative to the checkout. */
export function writeNotices(inputs: Iterable<string>): number {
  const folders = new Set(
    [...inputs].flatMap(
      (file) => /^(?:.*:)?(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
    ),
  );
  const byText = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    ) as {
      name: string;
      version: string;
      license?: string;
    };
    const text = licenceText(folder) ?? `Licence: ${license ?? 'not stated'}`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license ?? 'see below'})`]);
  }
  const parts = [...byText].map(([text, packages]) => `${packages.join('\n')}\n\n${text.trim()}`);
  writeFileSync(
    join(DIST, 'THIRD-PARTY-NOTICES.txt'),
    `The files of this folder contain code of these packages.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
  );
  return folders.size;
}

function licenceText(folder: string): string | undefined {
  const path = join(ROOT, folder);
  const file = readdirSync(path).find((name) => /^(licen[cs]e|copying)(\.|$)/i.test(name));
  return file !== undefined && existsSync(join(path, file))
    ? readFileSync(join(path, file), 'utf8')
    : undefined;
}
