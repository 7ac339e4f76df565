// The query service: the operations that read.
import { createService } from './lambda.ts';

export const handler = createService('query', process.env);
