// The Lambda that serves the console.
import { join } from 'node:path';
import { createConsoleHandler } from './lambda.ts';

export const handler = createConsoleHandler(join(import.meta.dirname, 'console'), process.env);
