// At least once, and nothing that is not so: whoever dies, wherever it dies.
import { describe, expect, test } from 'vitest';
import { CrashingWorld, type Death, type Role, WEBHOOK } from './crashing-world.ts';

const MINUTE = 60_000;
const FAILS = { task: 't', retry: { maxAttempts: 2, backoffSeconds: 1 } } as const;

const deaths = (role: Role, most: number): Death[] =>
  Array.from({ length: most }, (_, i) => i + 1).flatMap((at) => [
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
  test('is told of once, and of its attempt before', async () => {
    const world = await failOnce();
    expect(world.told.map(({ event, execution }) => [event, execution.status, execution.attempt])).toEqual([
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
  ] as const)('is told of although the %s dies, at each of its calls', async (role, atLeast) => {
    let died = 0;
    for (const death of deaths(role, 30)) {
      const world = await failOnce(death);
      if (world.deaths === 0) break; // it makes fewer calls than that
      died++;
      const where = `${role} died ${death.when} call ${death.at}`;
      expect(world.store.rows.all(), where).toMatchObject([{ status: 'FAILED', told: true }]);
      const failed = world.toldOf('failed');
      expect(failed.length, where).toBeGreaterThanOrEqual(1);
      expect(failed.length, where).toBeLessThanOrEqual(2);
      expect(failed[0]?.execution, where).toMatchObject({ status: 'failed' });
      expect(world.toldOf('succeeded'), where).toEqual([]);
    }
    expect(died).toBeGreaterThanOrEqual(2 * atLeast);
  });
});

test('an end that was announced and never written is not told: the worker died in between, and who took over failed', async () => {
  let takenOver = 0;
  for (const death of deaths('worker', 16)) {
    let runs = 0;
    const task = async (): Promise<void> => {
      if (++runs === 1) return;
      await world.clock.sleep(29_000); // long enough for what was announced to be looked for meanwhile
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
    const words = new Set(world.told.map(({ event }) => event));
    expect([...words], `died ${death.when} call ${death.at}`).toEqual([row?.status.toLowerCase()]);
    if (row?.status === 'FAILED') takenOver++;
  }
  expect(takenOver).toBeGreaterThan(0); // or what was announced always came
});

test('a queue that does not answer delays no end by more than two seconds, and settle tells it when the queue is back', async () => {
  const world = new CrashingWorld();
  world.notify.down = true;
  await world.create({ ...FAILS, schedule: { in: 'PT5S' }, notify: [{ on: ['failed'], ...WEBHOOK }] });
  await world.pass(MINUTE);
  const [row] = world.store.rows.all();
  expect(row?.status).toBe('FAILED');
  await world.pass(9 * MINUTE); // settle has looked meanwhile, in vain
  expect(world.told).toEqual([]);
  world.notify.down = false;
  await world.pass(20 * MINUTE);
  expect(world.told).toMatchObject([{ event: 'failed', execution: { status: 'failed' } }]);
});

test('messages that get lost are said again by settle', async () => {
  const world = new CrashingWorld();
  await world.create({ ...FAILS, schedule: { in: 'PT5S' }, notify: [{ on: ['failed'], ...WEBHOOK }] });
  for (let i = 0; i < 120; i++) {
    await world.pass(500);
    world.notify.messages.clear();
  }
  expect(world.told).toEqual([]);
  await world.pass(10 * MINUTE);
  expect(world.toldOf('failed')).toHaveLength(1);
});

test('what was told is not told again when its messages come twice', async () => {
  const world = await failOnce();
  const before = world.told.length;
  const [row] = world.store.rows.all();
  if (row) await world.people().publisher?.missed([{ ...row, told: undefined }]);
  await world.pass(MINUTE);
  expect(world.told).toHaveLength(before);
});
