// Notifications are sent at least once, and only for events that happened, whichever process dies at whichever call.
import { describe, expect, test } from 'vitest';
import { CrashingWorld, type Death, type Role, WEBHOOK } from './crashing-world.ts';

const MINUTE = 60_000;
const FAILS = { task: 't', retry: { maxAttempts: 2, backoffSeconds: 1 } } as const;

const deaths = (role: Role, calls: number): Death[] =>
  Array.from({ length: calls }, (_, i) => i + 1).flatMap((at) => [
    { role, at, when: 'before' as const },
    { role, at, when: 'after' as const },
  ]);

async function failOnce(death?: Death): Promise<CrashingWorld> {
  const world = new CrashingWorld({ ...(death && { death }) });
  await world.create({
    ...FAILS,
    schedule: { in: 'PT5S' },
    notify: [{ on: ['failed', 'succeeded', 'retrying'], ...WEBHOOK }],
  });
  await world.pass(9 * MINUTE);
  return world;
}

describe('a job that fails', () => {
  test('causes one notification of each kind', async () => {
    const world = await failOnce();
    expect(
      world.notifications.map(({ event, execution }) => [event, execution.status, execution.attempt]),
    ).toEqual([
      ['retrying', 'retrying', 1],
      ['failed', 'failed', 2],
    ]);
    expect(world.store.rows.all()).toMatchObject([{ status: 'FAILED', told: true }]);
    expect(world.notify.messages.size).toBe(0);
  });

  test.each([
    ['worker', 15],
    ['notifier', 15],
    ['watcher', 30],
  ] as const)('causes a notification although the %s dies, at each of its calls', async (role, atLeast) => {
    let died = 0;
    for (const death of deaths(role, 30)) {
      const world = await failOnce(death);
      if (world.deaths === 0) break; // the process makes fewer calls
      died++;
      const where = `${role} died ${death.when} call ${death.at}`;
      expect(world.store.rows.all(), where).toMatchObject([{ status: 'FAILED', told: true }]);
      const failed = world.notificationsOf('failed');
      expect(failed.length, where).toBeGreaterThanOrEqual(1);
      expect(failed.length, where).toBeLessThanOrEqual(2);
      expect(failed[0]?.execution, where).toMatchObject({ status: 'failed' });
      expect(world.notificationsOf('succeeded'), where).toEqual([]);
    }
    expect(died).toBeGreaterThanOrEqual(2 * atLeast);
  });
});

test('an end that was published and never written causes no notification: its worker died, and the takeover failed', async () => {
  let takenOver = 0;
  for (const death of deaths('worker', 16)) {
    let runs = 0;
    const task = async (): Promise<void> => {
      if (++runs === 1) return;
      await world.clock.sleep(29_000); // long enough for the notifier to look for the published end
      throw new Error('it did not work');
    };
    const world: CrashingWorld = new CrashingWorld({ death, task });
    await world.create({
      ...FAILS,
      schedule: { in: 'PT5S' },
      notify: [{ on: ['failed', 'succeeded'], ...WEBHOOK }],
    });
    await world.pass(9 * MINUTE);
    const [row] = world.store.rows.all();
    const words = new Set(world.notifications.map(({ event }) => event));
    expect([...words], `died ${death.when} call ${death.at}`).toEqual([row?.status.toLowerCase()]);
    if (row?.status === 'FAILED') takenOver++;
  }
  expect(takenOver).toBeGreaterThan(0); // otherwise every published end was written
});

test('an unavailable notify queue delays an end by at most two seconds, and settle publishes the event later', async () => {
  const world = new CrashingWorld();
  world.notify.down = true;
  await world.create({ ...FAILS, schedule: { in: 'PT5S' }, notify: [{ on: ['failed'], ...WEBHOOK }] });
  await world.pass(MINUTE);
  const [row] = world.store.rows.all();
  expect(row?.status).toBe('FAILED');
  await world.pass(9 * MINUTE); // settle has run meanwhile, and the queue was still down
  expect(world.notifications).toEqual([]);
  world.notify.down = false;
  await world.pass(20 * MINUTE);
  expect(world.notifications).toMatchObject([{ event: 'failed', execution: { status: 'failed' } }]);
});

test('settle publishes lost messages again', async () => {
  const world = new CrashingWorld();
  await world.create({ ...FAILS, schedule: { in: 'PT5S' }, notify: [{ on: ['failed'], ...WEBHOOK }] });
  for (let i = 0; i < 120; i++) {
    await world.pass(500);
    world.notify.messages.clear();
  }
  expect(world.notifications).toEqual([]);
  await world.pass(10 * MINUTE);
  expect(world.notificationsOf('failed')).toHaveLength(1);
});

test('a redelivered message causes no second notification', async () => {
  const world = await failOnce();
  const before = world.notifications.length;
  const [row] = world.store.rows.all();
  if (row) await world.people().publisher?.missed([{ ...row, told: undefined }]);
  await world.pass(MINUTE);
  expect(world.notifications).toHaveLength(before);
});
