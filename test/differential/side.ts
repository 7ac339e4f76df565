// One side of a comparison, inside the process of a server: `node --import side.ts bin/punctual.js start`. When the server
// listens, it sends the requests of many sequences at their virtual times, receives the calls of tasks and notifications, and
// writes what it got into a file. Nothing here knows more of the server than its command line and its REST API.
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import type { Sequence, Step } from './sequences.ts';
import { advance, hold, realPause, requests, virtualNow } from './virtual-time.ts';

export interface Plan {
  readonly sequences: readonly Sequence[];
  readonly start: number;
  /** Steps from `from` to before `until` are sent. */
  readonly from: number;
  readonly until: number;
  readonly tokens: Readonly<Record<string, string>>;
  /** What the server before a restart left. */
  readonly before?: Outcome;
  /** Whether everything is read at the end. */
  readonly isLast: boolean;
}

export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly at: number;
  readonly as?: string | undefined;
  readonly sent?: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly compare?: Step['compare'] | undefined;
}

/** What one sequence knows from its answers. */
export interface Known {
  jobs: string[];
  etags: Record<string, string>;
  execs: string[];
  cursor?: string | undefined;
  op?: string | undefined;
  errorKey?: string | undefined;
}

export interface Outcome {
  /** By the index of the sequence. */
  readonly answers: Answer[][];
  readonly known: Known[];
  /** Calls of tasks and notifications, by slot. */
  readonly calls: Record<string, unknown[]>;
  /** The operations of the server's OpenAPI document: "GET /jobs". */
  routes: string[];
  /** Jobs have the address of the receiver, so it is the same after a restart. */
  port: number;
}

const NO_JOB = 'job_00000000000000000000';
const HEADERS = [
  'location',
  'etag',
  'retry-after',
  'allow',
  'preference-applied',
  'www-authenticate',
  'content-type',
  'x-idempotent-replay',
];
const SNAPSHOT_PAGES = 30;

if (isMainThread && process.argv[2] === 'start') {
  const listening = Promise.withResolvers<string>();
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((chunk: string, ...more: []) => {
    const url = /listens on (http:\S+)/.exec(String(chunk))?.[1];
    if (url) listening.resolve(url);
    return write(chunk, ...more);
  }) as typeof write;
  listening.promise.then(run).catch((error: unknown) => {
    console.error(error);
    process.exit(70);
  });
}

async function run(url: string): Promise<void> {
  const { DIFFERENTIAL_PLAN = '', DIFFERENTIAL_OUTCOME = '' } = process.env;
  const plan: Plan = JSON.parse(readFileSync(DIFFERENTIAL_PLAN, 'utf8'));
  const outcome: Outcome = plan.before ?? {
    answers: plan.sequences.map(() => []),
    known: plan.sequences.map(() => ({ jobs: [], etags: {}, execs: [] })),
    calls: {},
    routes: [],
    port: 0,
  };
  const receiver = await receive(outcome);
  const driver = new Driver(url, plan, outcome, receiver);
  await driver.steps();
  if (plan.isLast) await driver.readEverything();
  writeFileSync(DIFFERENTIAL_OUTCOME, JSON.stringify(outcome));
  if (plan.isLast) process.exit(0);
  // an orderly end takes time, too
  process.kill(process.pid, 'SIGTERM');
  for (;;) {
    await realPause(1);
    await advance(virtualNow() + 250);
  }
}

/** The server that tasks and notifications call. The path says what it answers. */
async function receive(outcome: Outcome): Promise<string> {
  const { calls } = outcome;
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const [, slot = '', kind = '', value = ''] = (incoming.url ?? '').split('/');
    calls[slot] ??= [];
    const own = calls[slot];
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) =>
        /^(punctual-(execution|attempt|event|due)|idempotency-key)$/.test(name),
      ),
    );
    const earlier = own.filter(
      (call) =>
        (call as { key?: string }).key ===
        `${kind} ${headers['idempotency-key'] ?? headers['punctual-execution']}`,
    ).length;
    own.push({
      key: `${kind} ${headers['idempotency-key'] ?? headers['punctual-execution']}`,
      method: incoming.method,
      path: incoming.url,
      headers,
      body: parsed(text),
    });
    if (kind === 'slow') await hold(Number(value), response);
    response.statusCode =
      kind === 'status'
        ? Number(value)
        : kind === 'after'
          ? 503
          : (kind === 'flaky' || kind === 'hook-flaky') && earlier < 1
            ? 500
            : 200;
    if (kind === 'after') response.setHeader('retry-after', value);
    response.end(kind === 'echo' ? text : kind);
  });
  server.keepAliveTimeout = 0;
  server.unref();
  await new Promise<void>((resolve) => void server.listen(outcome.port, '127.0.0.1', resolve));
  outcome.port = (server.address() as AddressInfo).port;
  return `127.0.0.1:${outcome.port}`;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text.slice(0, 200);
  }
}

class Driver {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 100 });
  readonly #url: string;
  readonly #plan: Plan;
  readonly #outcome: Outcome;
  readonly #receiver: string;

  constructor(url: string, plan: Plan, outcome: Outcome, receiver: string) {
    this.#url = url;
    this.#plan = plan;
    this.#outcome = outcome;
    this.#receiver = receiver;
  }

  async steps(): Promise<void> {
    const { sequences, start, from, until } = this.#plan;
    const times = new Map<number, (() => Promise<void>)[]>();
    for (const [index, { steps }] of sequences.entries())
      for (const step of steps) {
        if (step.at < from || step.at >= until) continue;
        const due = times.get(step.at) ?? [];
        due.push(() => this.#take(index, step));
        times.set(step.at, due);
      }
    const sent: Promise<void>[] = [];
    for (const at of [...times.keys()].sort((a, b) => a - b)) {
      await advance(start + at);
      for (const take of times.get(at) ?? []) sent.push(take());
    }
    await advance(start + until);
    await Promise.all(sent);
  }

  /** All that the sequences have left: jobs with their changes and executions, and the lists over all jobs. */
  async readEverything(): Promise<void> {
    const { sequences } = this.#plan;
    const { answers, known, routes } = this.#outcome;
    const all = sequences.map(async (_, index) => {
      const get = (path: string) => this.#take(index, { at: this.#plan.until, method: 'GET', path });
      const pages = async (path: string) => {
        for (let page = 0; page < SNAPSHOT_PAGES; page++) {
          await get(`${path}${path.includes('?') ? '&' : '?'}limit=100${page > 0 ? '&cursor=«cursor»' : ''}`);
          if ((known[index] as Known).cursor === undefined) return;
        }
      };
      await pages('/jobs');
      const last = answers[index]?.at(-1)?.body as { items?: { id: string }[] } | undefined;
      // jobs of one instant come in the order of random ids
      const ids = (last?.items ?? []).map(({ id }) => id);
      const { jobs } = known[index] as Known;
      for (const id of ids.sort((a, b) => jobs.indexOf(a) - jobs.indexOf(b))) {
        await get(`/jobs/${id}`);
        await pages(`/jobs/${id}/executions`);
        await pages(`/jobs/${id}/changes`);
      }
      await pages('/executions');
      await pages('/dead-letters');
      await get(`/limits/user${sequences[index]?.slot}`);
    });
    // nothing of this waits for a time, or the last answers never come
    const done = Promise.all(all);
    await advance(this.#plan.start + this.#plan.until + 1_000);
    await Promise.race([
      done,
      realPause(60_000).then(() => Promise.reject(new Error('the last reads have no answer'))),
    ]);
    const { body } = await this.#call('GET', '/openapi.json', {});
    const { paths } = body as { paths: Record<string, Record<string, unknown>> };
    routes.push(
      ...Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((name) => /^(get|put|post|patch|delete)$/.test(name))
          .map((name) => `${name.toUpperCase()} ${path}`),
      ),
    );
  }

  async #take(index: number, step: Step): Promise<void> {
    const { sequences, tokens } = this.#plan;
    const known = this.#outcome.known[index] as Known;
    const { slot = 0 } = sequences[index] ?? {};
    const filled = this.#fill({ path: step.path, body: step.body, headers: step.headers }, known) as Pick<
      Step,
      'path' | 'body' | 'headers'
    >;
    const users = { operator: 'operator', stranger: 'stranger', nobody: '', forger: 'forger' };
    const token = tokens[step.as ? users[step.as] : `user${slot}`];
    const isRaw = typeof filled.body === 'string' && filled.headers?.['content-type'] !== undefined;
    const text =
      filled.body === undefined || isRaw ? (filled.body as string | undefined) : JSON.stringify(filled.body);
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...filled.headers,
    };
    // two requests of one instant may be answered in either order
    const answers = this.#outcome.answers[index] as Answer[];
    const place = answers.length++;
    const got = await this.#call(step.method, filled.path, headers, text);
    answers[place] = {
      method: step.method,
      path: filled.path,
      at: step.at,
      as: step.as,
      ...(text !== undefined && text.length < 4_000 && { sent: filled.body }),
      ...got,
      compare: step.compare,
    };
    learn(known, step, got);
  }

  /** Replaces «…» by what is known. */
  #fill(given: object, known: Known): unknown {
    const text = JSON.stringify(given).replace(/«(\w+):?(\w*)»/g, (_, what: string, which: string) => {
      if (what === 'job') return known.jobs[Number(which)] ?? NO_JOB;
      if (what === 'jobid') return known.jobs[Number(which)] ?? NO_JOB;
      if (what === 'etag') return (known.etags[which] ?? '"7"').replaceAll('"', '\\"');
      if (what === 'exec')
        return known.execs[Number(which) % Math.max(1, known.execs.length)] ?? `${NO_JOB}.1792000000000`;
      if (what === 'cursor') return encodeURIComponent(known.cursor ?? 'none');
      if (what === 'op') return known.op ?? 'op_00000000000000000000';
      if (what === 'errorKey') return known.errorKey ?? 'AAAAAAAAAAAA';
      return this.#receiver;
    });
    return JSON.parse(text);
  }

  #call(method: string, path: string, headers: Record<string, string>, text?: string) {
    return new Promise<Pick<Answer, 'status' | 'headers' | 'body'>>((resolve, reject) => {
      requests.sent++;
      const outgoing = request(
        `${this.#url}${path}`,
        { method, agent: this.#agent, headers: { ...headers, 'x-differential': '1' } },
        (response) => {
          let body = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => (body += chunk));
          response.on('end', () => {
            requests.read++;
            const kept = Object.entries(response.headers).filter(([name]) => HEADERS.includes(name));
            resolve({
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(kept) as Record<string, string>,
              body: parsed(body),
            });
          });
          response.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }
}

function learn(
  known: Known,
  step: Step,
  { status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>,
): void {
  const got = (body ?? {}) as {
    id?: string;
    job?: { id?: string };
    results?: unknown;
    items?: { id?: string; key?: string }[];
    nextCursor?: string;
    operation?: string;
  };
  if (step.makes !== undefined && status < 300) {
    const list = (got.results ?? [got]) as { id?: string; job?: { id?: string } }[];
    for (const [i, one] of list.entries()) known.jobs[step.makes + i] = one.id ?? one.job?.id ?? NO_JOB;
  }
  if (headers.etag !== undefined && got.id?.startsWith('job_')) {
    const index = known.jobs.indexOf(got.id);
    known.etags[index >= 0 ? index : 'named'] = headers.etag;
  }
  if (got.items && step.method === 'GET') {
    known.cursor = got.nextCursor;
    if (step.path.includes('executions') || step.path.startsWith('/dead-letters')) {
      const ids = got.items.flatMap(({ id }) => (id?.includes('.') ? [id] : []));
      if (ids.length > 0) known.execs = ids;
    }
    if (step.path.startsWith('/dead-letters/groups')) known.errorKey = got.items[0]?.key;
  }
  const op = /op_[0-9a-zA-Z]{20}/.exec(
    `${headers.location ?? ''} ${got.operation ?? ''} ${got.id ?? ''}`,
  )?.[0];
  if (op !== undefined) known.op = op;
}
