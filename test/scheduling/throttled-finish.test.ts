// A store that throttles must not occupy the run slots: the slot of a task that has ended is free while its end is written.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import type { Store } from '../../src/store/store.ts';
import { defineTask, type Task } from '../../src/tasks/task.ts';
import { receivedMessage } from '../support/received-message.ts';
import { MINUTE, NOON, standingWorld } from '../support/standing-world.ts';
import { workerPort } from '../support/worker-port.ts';

test('a finish that is throttled gives its slot free while it retries, and stays in hand until it is written', async () => {
  const world = standingWorld();
  await world.create({ schedule: { at: '2026-12-01T12:01:00Z' } });
  const [message] = world.sent.splice(0);
  world.now = NOON + MINUTE;
  const events: string[] = [];
  const noop = defineTask({
    name: 'noop',
    description: '',
    params: z.unknown(),
    run: async () => void events.push('ran'),
  });
  let throttled = 3;
  const store = new Proxy(world.context.store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== 'updateRow') return typeof member === 'function' ? member.bind(target) : member;
      return async (...given: Parameters<Store['updateRow']>) => {
        if (throttled-- > 0) {
          events.push('throttled');
          throw new Error('ThrottlingException');
        }
        events.push('written');
        return target.updateRow(...given);
      };
    },
  });
  const worker = workerPort(new Map([[noop.name, noop as Task<unknown>]]), {
    release: () => void events.push('released'),
  });
  await handleMessage({ ...world.context, store }, worker, receivedMessage(message));
  expect(events).toEqual(['ran', 'released', 'throttled', 'throttled', 'throttled', 'written']);
});
