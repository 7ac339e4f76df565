// Builds the console as a program, so that a server builds it in a child process: `node console/build/main.ts <folder>`.
import { buildConsole } from './build-console.ts';

const USAGE = `usage: node console/build/main.ts <folder>

Writes the console into the folder: index.html, assets/, a brotli file beside each file, and manifest.json.`;

const [folder, ...others] = process.argv.slice(2);
if (folder === '--help' || folder === '-h') {
  console.log(USAGE);
  process.exit(0);
}
if (!folder || folder.startsWith('-') || others.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
const { files, firstLoad } = await buildConsole(folder);
const sum = (names: readonly string[]) =>
  names.reduce((total, name) => total + (files[name]?.brotliBytes ?? 0), 0);
const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KB`;
console.log(
  `${Object.keys(files).length} files, ${kilobytes(sum(Object.keys(files)))} with brotli; the first page loads ${firstLoad.length} of them, ${kilobytes(sum(firstLoad))}`,
);
