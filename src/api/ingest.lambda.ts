// The consumer of the ingest queue. Its event source reports partial batch failures.
import { createIngestHandler } from './lambda.ts';

export const handler = createIngestHandler(process.env);
