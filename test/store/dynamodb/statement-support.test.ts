// The check at start whether an engine knows the statements of group commit.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supportsStatements } from '../../../src/store/dynamodb/statement-support.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { dynamoClient, startDynoxide } from '../../support/engines.ts';

let engine: Awaited<ReturnType<typeof startDynoxide>>;
const servers: Server[] = [];
const PREFIX = 's-';

beforeAll(async () => {
  engine = await startDynoxide();
  await createTables(engine.client, PREFIX);
});
afterAll(async () => {
  for (const server of servers) server.close();
  await engine.stop();
});

/** The engine behind a proxy that answers BatchExecuteStatement itself. */
async function answering(status: number, body: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    if (String(request.headers['x-amz-target']).endsWith('BatchExecuteStatement')) {
      response.writeHead(status).end(body);
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => /^(x-amz|content-type|authorization)/.test(name)),
    ) as Record<string, string>;
    const answer = await fetch(engine.endpoint, { method: 'POST', headers, body: sent });
    response.writeHead(answer.status).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const itemsLeft = async (): Promise<number | undefined> =>
  (await engine.client.send(new ScanCommand({ TableName: `${PREFIX}jobs` }))).Count;

describe('statements of group commit', () => {
  it('are supported by dynoxide, and the check leaves no item', async () => {
    expect(await supportsStatements(engine.client, PREFIX)).toBe(true);
    expect(await supportsStatements(engine.client, PREFIX)).toBe(true);
    expect(await itemsLeft()).toBe(0);
  });

  it.each([
    ['a page of HTML', 500, '<!doctype html><title>500 Internal Server Error</title>'],
    ['an unknown operation', 400, '{"__type":"UnknownOperationException"}'],
    ['no responses', 200, '{}'],
    ['an error of a statement', 200, '{"Responses":[{"Error":{"Code":"ValidationError"}},{}]}'],
  ])('are not supported by an engine that answers with %s', async (_, status, body) => {
    const client = dynamoClient(await answering(status, body));
    expect(await supportsStatements(client, PREFIX)).toBe(false);
    expect(await itemsLeft()).toBe(0);
    client.destroy();
  });
});
