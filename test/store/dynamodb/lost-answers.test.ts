// A write was applied and its response was lost. Callers rely on the result of the SDK's retry.
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { dynamoClient, startDynoxide } from '../../support/engines.ts';
import { aHead, aRow, T0 } from '../../support/fixtures.ts';

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

  test('shows as refused, and the caller finds its own version', async () => {
    const head = aHead();
    await store.insertHead(head);
    drop = 1;
    expect(await store.updateHead(head, { version: 2, status: 'paused' })).toBe(false);
    const after = await store.readHead(head.jobId, { consistent: true });
    expect([after?.version, after?.status]).toEqual([2, 'paused']);
  });

  test('of an opened row shows as a refused claim, and the caller finds its own id', async () => {
    const row = aRow({ status: 'RUNNING', claimId: 'mine', leaseUntil: T0 });
    drop = 1;
    expect(await store.claim({ seen: undefined, row, seat: undefined, lock: undefined })).toBe('refused');
    expect((await store.readRow(row.jobId, row.due, { consistent: true }))?.claimId).toBe('mine');
  });

  test('of a lock shows as an open row without it, and the caller finds its own number', async () => {
    const head = aHead();
    await store.insertHead(head);
    const lock = { due: dueKey(T0), number: 7 };
    drop = 1;
    expect(await store.takeLock({ seen: head, lock, coveredUntil: undefined })).toBe(false);
    expect((await store.readHead(head.jobId, { consistent: true }))?.lock).toEqual(lock);
  });

  test('of a heartbeat shows as refused, and the caller finds its own lease', async () => {
    const row = aRow({ status: 'RUNNING', leaseUntil: T0 });
    await store.insertRow(row);
    drop = 1;
    expect(await store.extendLease(row, row.number, T0 + 1, undefined)).toBeUndefined();
    expect((await store.readRow(row.jobId, row.due, { consistent: true }))?.leaseUntil).toBe(T0 + 1);
  });

  test('that is lost every time is an error, although the write was applied', async () => {
    const head = aHead();
    await store.insertHead(head);
    drop = 10;
    await expect(store.updateHead(head, { version: 2 })).rejects.toThrow();
    drop = 0;
    expect((await store.readHead(head.jobId, { consistent: true }))?.version).toBe(2);
  });
});
