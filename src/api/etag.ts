// ETags of jobs. A write answers with the version, which `If-Match` compares. A read answers with the version and a
// fingerprint, because what it shows (`lastExecution`, `nextRunAt`) changes without a new version. `If-Match` takes both.
import type { JobView } from '../domain/shapes.ts';
import { fingerprint } from './conditional.ts';
import type { Reply } from './operation.ts';

export const withVersion = (job: JobView, headers: Reply['headers'] = {}): Reply => ({
  body: job,
  headers: { ...headers, etag: `"${job.version}"` },
});

export const withETag = (job: JobView): Reply => ({
  body: job,
  headers: { etag: `"${job.version}-${fingerprint(JSON.stringify(job))}"` },
});
