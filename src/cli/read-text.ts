// Reads a file that the command line names. `-` is stdin.
import { type CliEnvironment, UsageError } from './command.ts';

export async function readText(
  { readFile, readStdin }: Pick<CliEnvironment, 'readFile' | 'readStdin'>,
  path: string,
): Promise<string> {
  try {
    return path === '-' ? await readStdin() : readFile(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
