// Unpacks Chromium, its libraries and its fonts into the temporary folder (TMPDIR). Run as a child process by chromium.ts.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import chromium, { inflate } from '@sparticuz/chromium';

await chromium.executablePath();
const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
await inflate(join(dirname(entry), '../bin/al2023.tar.br'));

// The configuration of the package names fixed folders below /tmp. This one names its own folder, and the system's fonts.
writeFileSync(
  join(tmpdir(), 'fonts/fonts.conf'),
  `<?xml version="1.0" ?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`,
);
