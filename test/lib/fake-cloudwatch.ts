// A server in the place of CloudWatch and CloudWatch Logs that has no data. It records the requests.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Recorder } from './recorder.ts';

export async function startFakeCloudWatch(): Promise<Recorder> {
  const seen = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    const [service, action] = String(incoming.headers['x-amz-target']).split('.');
    if (service === 'Logs_20140328') seen.add(`logs:${action} ${JSON.parse(body).logGroupName}`);
    else if (service === 'GraniteServiceVersion20100801') seen.add(`cloudwatch:${action}`);
    else seen.add(`unknown request ${incoming.url} ${service}`);
    outgoing
      .setHeader('content-type', 'application/x-amz-json-1.1')
      .end('{"events":[],"MetricDataResults":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = new Set(seen);
      seen.clear();
      return taken;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
