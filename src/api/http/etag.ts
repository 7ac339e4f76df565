// ETags of jobs. The ETag of a write is the version. The ETag of a read is the version and a fingerprint, because
// `lastExecution` and `nextRunAt` change without a new version. `If-Match` accepts both and compares the version.
import type { JobView } from '../../domain/views/resource-schemas.ts';
import type { Reply } from '../contract/endpoint.ts';
import { fingerprint } from './conditional-get.ts';

/** For the response to a write. */
export const withVersion = (job: JobView, headers: Reply['headers'] = {}): Reply => ({
  body: job,
  headers: { ...headers, etag: `"${job.version}"` },
});

/** For the response to a read. */
export const withETag = (job: JobView): Reply => ({
  body: job,
  headers: { etag: `"${job.version}-${fingerprint(JSON.stringify(job))}"` },
});
