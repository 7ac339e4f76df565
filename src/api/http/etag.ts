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

/** For jobs by name. The ETag has the id of the job, because a replacement begins again at version 1. */
export const withNamedVersion = (job: JobView, headers: Reply['headers'] = {}): Reply => ({
  body: job,
  headers: { ...headers, etag: `"${job.version}-${job.id}"` },
});

export const withNamedETag = (job: JobView): Reply => ({
  body: job,
  headers: { etag: `"${job.version}-${job.id}-${fingerprint(JSON.stringify(job))}"` },
});
