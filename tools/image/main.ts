// `npm run image`: writes `.image`, the build context of the image of compose.yaml. It is that of the worker, with the same
// Dockerfile, and has the programs of local mode beside the worker: api, watcher, notifier and token.
import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeImageFolder } from './image-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
if (values.help) {
  console.log(
    'usage: npm run image\n\nWrites .image, the build context of compose.yaml: the worker and the programs of local mode.',
  );
  process.exit(0);
}
const folder = join(ROOT, '.image');
rmSync(folder, { recursive: true, force: true });
cpSync(join(ROOT, 'Dockerfile'), join(folder, 'Dockerfile'));
await writeImageFolder(join(folder, 'app'));
console.log('Wrote .image. Continue with: docker compose up --build');
