import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWorkQueue } from '../../../src/queue/in-process/work-queue.ts';
import type { Message, Received } from '../../../src/queue/queue.ts';
import { T0 } from '../../support/fixtures.ts';
import { StandingClock, settle } from '../../support/standing-clock.ts';

const never = new AbortController().signal;

function aQueue() {
  const timer = new StandingClock(T0);
  const work = createWorkQueue({ timer, earlyMs: 0, visibilityMs: 30_000, onDeadLetter: () => {} });
  let sent = 0;
  const send = (owner: string | undefined, count: number, after = 0) =>
    work.queue.send(
      Array.from({ length: count }, () => ({
        jobId: `job_${++sent}`,
        due: String(T0),
        revision: 'r',
        fireAt: T0 + after,
        enqueuedAt: T0,
        ...(owner !== undefined && { owner }),
      })),
    );
  return { ...work, timer, send };
}

const ownersOf = (received: readonly Received[]) => received.map(({ message }) => message?.owner);

describe('the work queue in memory is fair among owners', () => {
  test('a message waits for one message of each other owner at most', async () => {
    const { receiver, send } = aQueue();
    await send('ann', 10_000, -5_000);
    await send('bob', 2, -1_000);
    await send('cat', 1);
    expect(ownersOf(await receiver.receive(6, never))).toEqual(['ann', 'bob', 'cat', 'ann', 'bob', 'ann']);
    await send('dan', 1);
    expect(ownersOf(await receiver.receive(3, never))).toEqual(['ann', 'dan', 'ann']);
  });

  test('jobs without a known owner are owners of their own', async () => {
    const { receiver, send } = aQueue();
    await send('ann', 100);
    await send(undefined, 2);
    const ids = (await receiver.receive(4, never)).map(({ message }) => message?.jobId);
    expect(ids).toEqual(['job_1', 'job_101', 'job_102', 'job_2']);
  });

  test('messages that the receiver refuses stay, others pass them, and a change of room delivers them', async () => {
    const { receiver, send, size } = aQueue();
    await send('ann', 50);
    const room = { ann: 2, bob: 5 } as Record<string, number>;
    const admit = ({ owner = '' }: Message) => {
      const left = room[owner] ?? 0;
      room[owner] = Math.max(0, left - 1);
      return left > 0;
    };
    expect(ownersOf(await receiver.receive(10, never, admit))).toEqual(['ann', 'ann']);
    let next: (string | undefined)[] | undefined;
    void receiver.receive(10, never, admit).then((received) => {
      next = ownersOf(received);
    });
    await settle();
    expect(next).toBeUndefined();
    await send('bob', 1);
    await settle();
    expect(next).toEqual(['bob']);
    void receiver.receive(10, never, admit).then((received) => {
      next = ownersOf(received);
    });
    room.ann = 3;
    receiver.recheck?.();
    await settle();
    expect(next).toEqual(['ann', 'ann', 'ann']);
    expect(size()).toBe(51);
  });
});

/** Between two messages of one owner there is at most one of each other owner. */
function expectTurns(owners: readonly (string | undefined)[]): void {
  for (const [i, owner] of owners.entries()) {
    const next = owners.indexOf(owner, i + 1);
    if (next < 0) continue;
    const between = owners.slice(i + 1, next);
    expect(new Set(between).size).toBe(between.length);
  }
}

test('no message is lost or delivered early, and owners take turns, whatever is sent, hidden and deleted', async () => {
  const step = fc.oneof(
    fc.record({ what: fc.constant('send' as const), owner: fc.nat(4), after: fc.nat(500), count: fc.nat(5) }),
    fc.record({ what: fc.constant('receive' as const), max: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ what: fc.constant('end' as const), which: fc.nat(20), hideMs: fc.option(fc.nat(300)) }),
    fc.record({ what: fc.constant('wait' as const), ms: fc.nat(200) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const { receiver, send, size, timer } = aQueue();
      const inHand: Received[] = [];
      let sent = 0;
      let deleted = 0;
      const aborted = AbortSignal.abort();
      expect(await receiver.receive(1, aborted)).toEqual([]);
      const receive = async (max: number) => {
        const stop = new AbortController();
        const receiving = receiver.receive(max, stop.signal);
        await settle();
        stop.abort();
        return receiving;
      };
      for (const one of steps) {
        if (one.what === 'send') {
          await send(`o${one.owner}`, one.count, timer.now() - T0 + one.after);
          sent += one.count;
        } else if (one.what === 'receive') {
          const received = await receive(one.max);
          for (const { message } of received) expect(message?.fireAt).toBeLessThanOrEqual(timer.now());
          expectTurns(ownersOf(received));
          inHand.push(...received);
        } else if (one.what === 'end') {
          const [ending] = inHand.splice(one.which % Math.max(1, inHand.length), 1);
          if (ending && one.hideMs === null) {
            await ending.delete();
            deleted++;
          } else await ending?.setVisibility(one.hideMs ?? 0);
        } else await timer.advance(one.ms);
      }
      for (const { setVisibility } of inHand) await setVisibility(0);
      await timer.advance(1_000);
      const rest = await receive(1_000);
      expect(rest.length).toBe(sent - deleted);
      expect(size()).toBe(sent - deleted);
    }),
    { numRuns: 100 },
  );
});
