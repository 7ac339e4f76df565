// ETags of jobs. A write answers with the version, which `If-Match` compares. A read answers with the version and a
// fingerprint, because what it shows (`lastExecution`, `nextRunAt`) changes without a new version. `If-Match` takes both.
import type { JobView } from '../../domain/views/resource-schemas.ts';
import type { Reply } from '../contract/endpoint.ts';
import { fingerprint } from './conditional-get.ts';

export const withVersion = (job: JobView, headers: Reply['headers'] = {}): Reply => ({
  body: job,
  headers: { ...headers, etag: `"${job.version}"` },
});

export const withETag = (job: JobView): Reply => ({
  body: job,
  headers: { etag: `"${job.version}-${fingerprint(JSON.stringify(job))}"` },
});
