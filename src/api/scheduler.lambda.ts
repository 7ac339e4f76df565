// The scheduler service: all that writes.
import { createService } from './lambda.ts';

export const handler = createService('scheduler', process.env);
