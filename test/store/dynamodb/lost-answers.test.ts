// A write was applied and its response was lost. Callers rely on the result of the SDK's retry.
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { dynamoClient, startDynoxide } from '../../support/engines.ts';
import { aHead, aHold, aRow } from '../../support/fixtures.ts';

describe('a write whose response was lost', () => {
  let engine: Awaited<ReturnType<typeof startDynoxide>>;
  let proxy: Server;
  let drop = 0;
  let store: ReturnType<typeof createDynamoStore>;

  beforeAll(async () => {
    engine = await startDynoxide();
    await createTables(engine.client, '');
    const target = new URL(engine.endpoint);
    proxy = createServer((incoming, outgoing) => {
      const { method, headers } = incoming;
      const onward = request({ host: target.hostname, port: target.port, method, headers }, (answer) => {
        if (drop-- > 0) {
          answer.resume().on('end', () => outgoing.destroy());
        } else {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        }
      });
      incoming.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const client = dynamoClient(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    store = createDynamoStore({ client, tablePrefix: '', shards: 4 });
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await engine.stop();
  });

  test('shows as refused, and the caller finds its own stamp', async () => {
    const head = aHead();
    await store.insertHead(head);
    drop = 1;
    expect(await store.updateHead(head, { stamp: 'mine', status: 'paused' })).toBe(false);
    const after = await store.readHead(head.jobId, { consistent: true });
    expect([after?.stamp, after?.status]).toEqual(['mine', 'paused']);
  });

  test('of a row shows as refused, and the caller finds its own fence', async () => {
    const row = aRow();
    drop = 1;
    expect(await store.insertRow(row)).toBe(false);
    expect((await store.readRow(row.jobId, row.due, { consistent: true }))?.fence).toBe(row.fence);
  });

  test('of a heartbeat is applied again', async () => {
    const hold = aHold();
    const head = aHead({ hold });
    await store.insertHead(head);
    drop = 1;
    const after = await store.heartbeat(head.jobId, 'head', hold.token, hold.leaseUntil + 1, 's2');
    expect(after?.leaseUntil).toBe(hold.leaseUntil + 1);
  });

  test('that is lost every time is an error, although the write was applied', async () => {
    const head = aHead();
    await store.insertHead(head);
    drop = 10;
    await expect(store.updateHead(head, { stamp: 'mine' })).rejects.toThrow();
    drop = 0;
    expect((await store.readHead(head.jobId, { consistent: true }))?.stamp).toBe('mine');
  });
});
