// The Lambda that consumes the notify queue.
import { createNotifierHandler } from './lambda.ts';

export const handler = createNotifierHandler(process.env);
