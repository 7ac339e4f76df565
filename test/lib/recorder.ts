// A proxy between a runtime and an engine. It records every request: the action, and the table, index or queue.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Recorder {
  readonly endpoint: string;
  /** The requests since the last call, such as `dynamodb:Query jobs/index/byUser` or `sqs:SendMessage work-0`. */
  take(): Set<string>;
  stop(): void;
}

export async function startRecorder(engine: string, prefix: string): Promise<Recorder> {
  const seen = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    for (const action of actionsOf(String(incoming.headers['x-amz-target']), body))
      seen.add(action.replace(` ${prefix}`, ' '));
    const { hostname, port } = new URL(engine);
    const forwarded = request(
      { hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    forwarded.end(body);
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

function actionsOf(target: string, body: string): string[] {
  const [service, action = ''] = target.split('.');
  const asked = JSON.parse(body) as {
    TableName?: string;
    IndexName?: string;
    RequestItems?: Record<string, unknown>;
    QueueUrl?: string;
    Statements?: { Statement: string }[];
  };
  if (service === 'AmazonSQS') {
    return [`sqs:${action.replace(/Batch$/, '')} ${asked.QueueUrl?.split('/').at(-1)}`];
  }
  if (action === 'BatchExecuteStatement')
    return (asked.Statements ?? []).map(({ Statement }) => partiQl(Statement));
  const tables = asked.TableName ? [asked.TableName] : Object.keys(asked.RequestItems ?? {});
  const index = asked.IndexName ? `/index/${asked.IndexName}` : '';
  return tables.map((table) => `dynamodb:${action} ${table}${index}`);
}

/** The IAM action of a statement: `INSERT INTO "jobs" …` and `UPDATE "jobs" …` have their own. */
function partiQl(statement: string): string {
  const [, verb = '', table = ''] = /^(INSERT|UPDATE|DELETE|SELECT)\b[^"]*"([^"]+)"/.exec(statement) ?? [];
  return `dynamodb:PartiQL${verb.charAt(0)}${verb.slice(1).toLowerCase()} ${table}`;
}
