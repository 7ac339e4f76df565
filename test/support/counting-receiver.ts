// A web server that counts its open requests, so that a test knows how many tasks run at once without asking the scheduler.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CountingReceiver {
  readonly url: string;
  /** The paths of the answered requests. */
  readonly answered: ReadonlySet<string>;
  /** The largest number of requests that were open at once. */
  mostOpen(): number;
  stop(): Promise<void>;
}

/** Answers each request after `runMs`. A request is open until it is answered, or its connection is closed by a kill. */
export async function startCountingReceiver(runMs: number): Promise<CountingReceiver> {
  const open = new Set<object>();
  const answered = new Set<string>();
  let most = 0;
  const server = createServer((request, response) => {
    open.add(request);
    most = Math.max(most, open.size);
    request.resume();
    response.once('close', () => open.delete(request));
    setTimeout(() => {
      answered.add(request.url ?? '');
      response.end('ok');
    }, runMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answered,
    mostOpen: () => most,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
