// Reads a JSON file of the data folder. If the file is damaged, the error names it and the remedy.
import { readFileSync } from 'node:fs';
import { StartError } from './start-error.ts';

/** Undefined if there is no such file. */
export function readJsonFile(file: string, remedy: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StartError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new StartError(`${file} is damaged: it is not JSON. ${remedy}`);
  }
}
