// The consumer of the notify queue. Its event source reports partial batch failures.
import { createNotifierHandler } from './lambda.ts';

export const handler = createNotifierHandler(process.env);
