// An embedded server as a process of its own, whose event loop is measured while requests are sent to it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { localToken } from '../../src/local/tokens.ts';

export interface HostileRequest {
  readonly method: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, which need not be valid. */
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

export interface Measured {
  /** The longest turn of the event loop, in ms of CPU of the main thread. */
  readonly longestMs: number;
  readonly answers: readonly Answer[];
}

/** The requests of one user, over connections of its own. */
export interface Caller {
  send(request: HostileRequest): Promise<Answer>;
  /** Sends JSON, and returns the JSON of the answer. Throws if the request is refused. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface Server extends Caller {
  /** Another user, who is no operator. */
  as(user: string): Promise<Caller>;
  /** Sends the requests at once, and waits until the server has nothing more to do. */
  measure(requests: readonly HostileRequest[]): Promise<Measured>;
  stop(): Promise<void>;
}

/** The user of all requests. The user is an operator, so that no route refuses the requests before it parses them. */
const USER = 'mallory';
/** The maximum number of requests at once. */
export const AT_ONCE = 32;
/** `call` parses answers up to this size: a job with the largest body. */
const MAX_TEXT = 1_000_000;
const START_MS = 60_000;
const ANSWER_MS = 180_000;
/** A request whose connection fails has no status. */
const NO_ANSWER: Answer = { status: 0, bytes: 0, text: '' };

export async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'punctual-hostile-'));
  const hook = new URL('turns.ts', import.meta.url).href;
  const main = new URL('../../src/local/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [...process.execArgv, '--import', hook, main], {
    env: {
      ...process.env,
      PUNCTUAL_PORT: '0',
      PUNCTUAL_DATA: folder,
      PUNCTUAL_LOG: 'error',
      // the other limits stay on, because their checks cost time, too
      PUNCTUAL_QUOTA_REQUESTS_PER_SECOND: '0',
      PUNCTUAL_QUOTA_CREATES_PER_MINUTE: '0',
      PUNCTUAL_QUOTA_STARTS_PER_MINUTE: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await listening(child);
  const token = (user: string, operator: boolean) => localToken(folder, user, operator, process.env);
  const own = callerOf(url, await token(USER, true));
  return {
    ...own,
    as: async (user) => callerOf(url, await token(user, false)),
    async measure(requests) {
      await ask(child, 'begin');
      const answers = await Promise.all(requests.map(own.send));
      const { longestMs = 0 } = await ask(child, 'end');
      return { longestMs, answers };
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function callerOf(url: string, token: string): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const authorization = `Bearer ${token}`;

  function send({ method, path, headers, body }: HostileRequest): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const all = {
      authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    const request = httpRequest(new URL(url), { agent, method, path, headers: all }, async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
      } catch {
        return resolve(NO_ANSWER);
      }
      const bytes = Buffer.concat(chunks);
      const status = response.statusCode ?? 0;
      resolve({ status, bytes: bytes.length, text: bytes.subarray(0, MAX_TEXT).toString() });
    });
    request.setTimeout(ANSWER_MS, () => request.destroy(new Error('no answer')));
    request.on('error', () => resolve(NO_ANSWER));
    request.end(body);
    return promise;
  }

  return {
    send,
    async call(method, path, body) {
      const answer = await send({
        method,
        path,
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      if (answer.status >= 300 || answer.status === 0)
        throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text.slice(0, 500)}`);
      return answer.text === '' ? undefined : JSON.parse(answer.text);
    },
  };
}

async function ask(child: ChildProcess, question: string): Promise<{ longestMs?: number }> {
  const answered = once(child, 'message', { signal: AbortSignal.timeout(ANSWER_MS) });
  child.send(question);
  const [answer] = await answered;
  return answer as { longestMs?: number };
}

async function listening(child: ChildProcess): Promise<string> {
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += String(chunk);
  });
  const deadline = performance.now() + START_MS;
  for (;;) {
    const url = /listens on (\S+)/.exec(printed)?.[1];
    if (url !== undefined) return url;
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the server did not start: ${printed}`);
    await sleep(20);
  }
}
