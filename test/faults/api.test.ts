// kill -9 of the API in the middle of a create: what was accepted exists and fires, what was not is whole or nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findDefinition } from '../../src/scheduling/records/definitions.ts';
import { type Engines, inWorld, startEngines, USER } from '../support/faults/accelerated-world.ts';
import { insertHead, sendMessages } from '../support/faults/calls.ts';
import type { Child } from '../support/faults/child.ts';

let engines: Engines;
beforeAll(async () => {
  engines = await startEngines();
});
afterAll(() => engines.stop());

async function post(api: Child, key: string, body: unknown): Promise<{ status: number; id: string }> {
  const response = await fetch(`${api.url}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: USER, 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  const { id = '' } = (await response.json()) as { id?: string };
  return { status: response.status, id };
}

test.concurrent('the API is killed between entries and head, and between head and messages', () =>
  inWorld(
    engines,
    'api-killed',
    async (world) => {
      const api = await world.start('api', ['api']);
      const body = (name: string) => ({ name, task: 'probe', schedule: { at: world.at(60_000) } });
      const bodies = {
        'no-head': body('no-head'),
        'unheard-head': body('unheard-head'),
        'no-message': body('no-message'),
      };
      const idOf = (key: string) => world.idOf(key);
      const accepted = await post(api, 'accepted', body('accepted'));
      expect(accepted.status).toBe(201);
      await world.accept(accepted.id);

      const stopped = Promise.all([
        world.dynamodb.stopBefore(insertHead('no-head')),
        world.dynamodb.stopAfter(insertHead('unheard-head')),
        world.sqs.stopBefore(sendMessages(idOf('no-message'))),
      ]);
      const answers = Promise.allSettled(Object.entries(bodies).map(([key, b]) => post(api, key, b)));
      await stopped;
      await world.kill(api);
      for (const { status } of await answers) expect(status, 'nobody got an answer').toBe('rejected');

      // whole or not at all: a head has its definition and its entry; and what has no head runs never
      const { store } = world.context;
      expect(await store.readHead(idOf('no-head'), { consistent: true })).toBeUndefined();
      for (const key of ['unheard-head', 'no-message']) {
        await world.accept(idOf(key));
        const head = await store.readHead(idOf(key), { consistent: true });
        expect(head && (await findDefinition(world.context, head))).toBeDefined();
      }
      await world.start('rest', ['worker', 'watcher']);
      await world.check();

      // who got no answer asks again with the same key: the first two find their job, the third gets one now
      const again = await world.start('api', ['api']);
      for (const [key, b] of Object.entries(bodies).slice(1))
        expect(await post(again, key, b)).toEqual({ status: 201, id: idOf(key) });
      const fresh = { ...bodies['no-head'], schedule: { at: world.at(20_000) } };
      expect(await post(again, 'no-head', fresh)).toEqual({ status: 201, id: idOf('no-head') });
      await world.accept(idOf('no-head'));
      await world.check();
      expect(world.runs().length, 'four jobs, four runs').toBe(4);
    },
    { groupCommit: false },
  ));
