// The producer: a client of the API over HTTP.
import { Pool } from 'undici';
import { forEachLimit } from '../../src/concurrency/map-limit.ts';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { type Spec, USER } from './specs.ts';

/** The maximum number of jobs in one request. */
const PER_BATCH = 100;
/** Concurrent requests with batches. */
const BATCHES_AT_ONCE = 8;
const CONNECTIONS = 32;

interface Result {
  readonly status: number;
  readonly job?: { readonly id: string };
}

export interface Rest {
  /** `POST /jobs/batch`, in batches of 100. Returns the results in the order of the specs. */
  createBatches(specs: readonly Spec[]): Promise<Result[]>;
  /** `POST /jobs`. */
  createOne(spec: Spec): Promise<Result>;
  close(): Promise<void>;
}

export async function createRest(url: string, dataFolder: string, user = USER): Promise<Rest> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const headers = {
    authorization: `Bearer ${await signToken(await tokenKey(dataFolder), user)}`,
    'content-type': 'application/json',
  };
  async function post(path: string, body: unknown): Promise<{ status: number; body: unknown }> {
    const response = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    return { status: response.statusCode, body: await response.body.json() };
  }
  return {
    async createBatches(specs) {
      const results: Result[] = [];
      const firsts = Array.from({ length: Math.ceil(specs.length / PER_BATCH) }, (_, i) => i * PER_BATCH);
      await forEachLimit(firsts, BATCHES_AT_ONCE, async (first) => {
        const { status, body } = await post('/jobs/batch', { jobs: specs.slice(first, first + PER_BATCH) });
        if (status >= 300) throw new Error(`a batch was refused: ${JSON.stringify(body)}`);
        for (const [i, one] of (body as { results: Result[] }).results.entries()) results[first + i] = one;
      });
      return results;
    },
    async createOne(spec) {
      const { status, body } = await post('/jobs', spec);
      return { status, job: body as Result['job'] };
    },
    close: () => pool.close(),
  };
}

/** The ids of the jobs. Throws if one was not created. */
export function idsOf(results: readonly Result[]): string[] {
  return results.map((result) => {
    if (result.status === 201 && result.job) return result.job.id;
    throw new Error(`a job was not created: ${JSON.stringify(result)}`);
  });
}
