// Clients of the chaos test. They create jobs over REST and ask again with the same key until they have an answer, as a careful
// client does.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK } from 'jose';
import { signToken } from '../../src/local/tokens.ts';
import type { Server } from './server.ts';

/** A job whose creation was acknowledged. */
export interface Acknowledged {
  readonly id: string;
  /** 201: created. 202: accepted. */
  readonly status: number;
  readonly body: Body;
  /** The due time that a 201 has named. */
  readonly at?: string;
}

interface Body {
  readonly schedule?: { in?: string; every?: string; startAt?: string; endAt?: string };
  readonly overlap?: 'skip' | 'queue' | 'allow';
  readonly [field: string]: unknown;
}

const NO_ANSWER_PAUSE_MS = 20;

export class Clients {
  readonly jobs: Acknowledged[] = [];
  /** Executions of `POST /jobs/{id}/run` that were acknowledged. */
  readonly byHand: string[] = [];
  /** Called with the status of each answer to a create, as soon as it has come. */
  onAnswer: (status: number) => void = () => {};
  readonly #server: Server;
  readonly #random: () => number;
  readonly #token: Promise<string>;
  #made = 0;

  constructor(server: Server, key: JWK, random: () => number) {
    this.#server = server;
    this.#random = random;
    this.#token = signToken(key, 'chaos');
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${await this.#server.url()}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await this.#token}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (method === 'POST' && path === '/jobs') this.onAnswer(response.status);
    // biome-ignore lint/suspicious/noExplicitAny: the checks look at what has come
    const answer: any = await response.json();
    return { status: response.status, body: answer };
  }

  /** Creates jobs, and runs some by hand, one call after the other, until the signal. */
  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#random() < 0.1) await this.#runByHand();
      else await this.#create(signal);
      await sleep(this.#random() * 120);
    }
  }

  async #create(signal: AbortSignal): Promise<void> {
    const body = this.#anyJob();
    // a recurring job whose last occurrence passes between its 202 and its creation is not created (docs/decisions/0008)
    const isAsync = body.schedule?.every === undefined && this.#random() < 0.4;
    const headers = {
      'idempotency-key': `chaos-${this.#made++}`,
      ...(isAsync && { prefer: 'respond-async' }),
    };
    for (;;) {
      const answer = await this.call('POST', '/jobs', body, headers).catch(() => undefined);
      if (answer && [200, 201, 202].includes(answer.status)) {
        const { id, schedule } = answer.body;
        this.jobs.push({ id, status: answer.status, body, ...(schedule?.at && { at: schedule.at }) });
        return;
      }
      // its last occurrence has passed while no server answered
      if (answer && answer.status < 500) {
        if (answer.body.type !== 'urn:punctual:problem:never-fires') throw new Error(JSON.stringify(answer));
        return;
      }
      if (signal.aborted) return;
      await sleep(NO_ANSWER_PAUSE_MS);
    }
  }

  async #runByHand(): Promise<void> {
    const job = this.jobs[Math.floor(this.#random() * this.jobs.length)];
    // with `overlap: skip` a run by hand may make the scheduled one be skipped, and rightly so
    if (!job || job.status === 202 || job.body.overlap === 'skip') return;
    const answer = await this.call('POST', `/jobs/${job.id}/run`, {}).catch(() => undefined);
    if (answer && answer.status < 300) this.byHand.push(answer.body.id);
  }

  #anyJob(): Body {
    const random = this.#random;
    const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
    const seconds = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
    const startAt = Date.now() + seconds(1, 3) * 1_000;
    const iso = (at: number) => new Date(at).toISOString();
    const schedule = pick([
      undefined,
      { in: `PT${seconds(1, 6)}S` },
      {
        every: pick(['PT1S', 'PT2S', 'PT3S']),
        startAt: iso(startAt),
        endAt: iso(startAt + seconds(3, 7) * 1_000),
      },
    ]);
    return {
      task: 'probe',
      params: { durationMs: pick([0, 0, Math.floor(random() * 1_200)]), failTimes: random() < 0.2 ? 1 : 0 },
      ...(schedule && { schedule }),
      overlap: pick(['skip', 'queue', 'allow']),
      misfire: { policy: pick(['runAll', 'runOnce', 'skip']), graceSeconds: 3_600 },
      retry: { maxAttempts: 10, backoffSeconds: 1, maxBackoffSeconds: 1 },
    };
  }
}
