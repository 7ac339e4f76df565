// A job with its version as ETag.
import type { JobView } from '../domain/shapes.ts';
import type { Reply } from './operation.ts';

export const withETag = (job: JobView, headers: Reply['headers'] = {}): Reply => ({
  body: job,
  headers: { ...headers, etag: `"${job.version}"` },
});
