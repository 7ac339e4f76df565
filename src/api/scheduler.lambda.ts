// The scheduler service: the operations that write.
import { createService } from './lambda.ts';

export const handler = createService('scheduler', process.env);
