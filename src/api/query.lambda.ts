// The query service: all that reads.
import { createService } from './lambda.ts';

export const handler = createService('query', process.env);
