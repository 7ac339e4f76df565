// The rules of a timezone change after occurrences were planned: each still runs once, at its new time.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dueAtOf } from '../../src/domain/executions/ids.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { intlOffset, useZoneRules } from '../../src/domain/schedule/zones.ts';
import { pauseJob } from '../../src/jobs/pause-job.ts';
import { getExecution } from '../../src/queries/get-execution.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { dispatchSlot } from '../../src/scheduling/planning/dispatch-slot.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { finishAttempt } from '../../src/scheduling/running/finish-attempt.ts';
import { MINUTE, standingWorld } from '../support/standing-world.ts';

const HOUR = 60 * MINUTE;
const PARIS = 'Europe/Paris';

/** Versions of the time-zone data: from 2 December 2026 on Paris has another offset, or keeps its hour. */
const since = (change: string, offset: number) => (zone: string, instant: number) =>
  zone === PARIS && instant >= Date.parse(change) ? offset : intlOffset(zone, instant);
const NOTHING_CHANGES = since('2026-12-02T00:00:00Z', HOUR);
/** 09:00 in Paris is 09:00Z instead of 08:00Z. */
const LATER = since('2026-12-02T00:00:00Z', 0);
/** 09:00 in Paris is 07:00Z instead of 08:00Z. */
const EARLIER = since('2026-12-02T00:00:00Z', 2 * HOUR);
const HALF_AN_HOUR_EARLIER = since('2026-12-02T00:00:00Z', 1.5 * HOUR);

let world: ReturnType<typeof standingWorld>;
beforeEach(() => {
  world = standingWorld();
  useZoneRules(NOTHING_CHANGES);
});
afterEach(() => useZoneRules(undefined));

/** A worker that takes each message at its time, and again when it comes back; a message that is lost never comes. */
const lost = new Set<string>();
beforeEach(() => lost.clear());

async function work(): Promise<void> {
  const minuteEnd = world.now + MINUTE;
  const visible = world.sent.filter(({ fireAt }) => fireAt <= world.now);
  for (const message of visible) world.sent.splice(world.sent.indexOf(message), 1);
  for (let message = visible.shift(); message; message = visible.shift()) {
    world.now = Math.max(world.now, message.fireAt);
    if (lost.delete(short(dueAtOf(message.due)))) continue;
    const claimed = await claim(world.context, 'worker_1', message);
    if (claimed.kind === 'later') {
      (claimed.at < minuteEnd ? visible : world.sent).push({ ...message, fireAt: claimed.at });
      visible.sort((a, b) => a.fireAt - b.fireAt);
    }
    if (claimed.kind !== 'run') continue;
    const times = { receivedAt: world.now, startedAt: world.now };
    await finishAttempt(world.context, claimed.claimed, { kind: 'succeeded', result: null }, times);
  }
}

/** Minute by minute, with a watcher and a worker. */
async function until(time: string): Promise<void> {
  const end = Date.parse(`2026-12-${time}:00Z`);
  while (world.now < end) {
    world.now = (minuteOf(world.now) + 1) * MINUTE;
    await watch(world.context, [0], new AbortController().signal);
    await work();
  }
}

const create = (cron: string, more: object = {}) =>
  world.create({ schedule: { cron, timezone: PARIS }, misfire: { policy: 'runOnce' }, ...more });

const short = (time: number): string => new Date(time).toISOString().slice(8, 16);

/** `02T09:00` for one that ran at its time, `02T07:00 at 02T07:55`, `02T07:00 skipped`. */
function runs(jobId: string): string[] {
  const rows = world.store.snapshot().rows.filter((row) => row.jobId === jobId);
  rows.sort((x, y) => (x.due < y.due ? -1 : 1));
  return rows.map(({ due, status, startedAt = 0 }) => {
    const at = short(dueAtOf(due));
    if (status !== 'SUCCEEDED') return `${at} ${status.toLowerCase()}`;
    return short(startedAt) === at ? at : `${at} at ${short(startedAt)}`;
  });
}

describe('a daily run that has moved', () => {
  test('to a later time runs then, and not at the old time too', async () => {
    const job = await create('0 9 * * *');
    await until('01T18:00');
    useZoneRules(LATER);
    await until('04T06:00');
    expect(runs(job)).toEqual(['02T09:00', '03T09:00']);
  });

  test('to an earlier time that has passed runs when its old time is dispatched', async () => {
    const job = await create('0 9 * * *');
    await until('01T18:00');
    useZoneRules(EARLIER);
    await until('04T06:00');
    expect(runs(job)).toEqual(['02T07:00 at 02T07:55', '03T07:00']);
  });

  test('to an earlier time is late: misfire decides', async () => {
    const skips = await create('0 9 * * *', { misfire: { policy: 'skip', graceSeconds: 60 } });
    const runsAll = await create('0 9 * * *', { misfire: { policy: 'runAll' } });
    await until('01T18:00');
    useZoneRules(EARLIER);
    await until('04T06:00');
    expect(runs(skips)).toEqual(['02T07:00 skipped', '03T07:00']);
    expect(runs(runsAll)).toEqual(['02T07:00 at 02T07:55', '03T07:00']);
  });

  test.each([
    ['later', LATER, ['02T08:00', '03T09:00', '04T09:00']],
    ['earlier', EARLIER, ['02T08:00', '03T07:00 at 03T07:55', '04T07:00']],
  ])('by data that came late does not run again for a day that has run: %s', async (_, rules, expected) => {
    const job = await create('0 9 * * *');
    await until('02T12:00');
    useZoneRules(rules);
    await until('04T12:00');
    expect(runs(job)).toEqual(expected);
  });

  test.each([
    ['later', LATER, ['02T09:00', '03T09:00']],
    ['earlier', EARLIER, ['02T07:00 at 02T07:55', '03T07:00']],
  ])('with overlap: allow, and with jitter, is treated alike: %s', async (_, rules, expected) => {
    const allow = await create('0 9 * * *', { overlap: 'allow' });
    const jitter = await create('0 9 * * *', {
      schedule: { cron: '0 9 * * *', timezone: PARIS, jitterSeconds: 59 },
    });
    await until('01T18:00');
    useZoneRules(rules);
    await until('04T06:00');
    expect(runs(allow)).toEqual(expected);
    expect(runs(jitter).map((run) => run.slice(0, 8))).toEqual(expected.map((run) => run.slice(0, 8)));
  });

  test('by a calendar, once a week', async () => {
    const schedule = { calendar: { daysOfWeek: 'THU', hour: 9 }, timezone: PARIS };
    const job = await world.create({ schedule });
    await until('01T18:00');
    useZoneRules(LATER);
    await until('03T12:00');
    expect(runs(job)).toEqual(['03T09:00']);
  });

  test('that a change across the date line moves by a day runs on that day', async () => {
    const job = await create('0 9 * * THU');
    await until('01T18:00');
    useZoneRules(since('2026-12-02T00:00:00Z', -23 * HOUR));
    await until('05T06:00');
    expect(runs(job)).toEqual(['04T08:00']);
  });
});

describe('several runs a day that have moved', () => {
  test.each([
    ['later', LATER, ['02T09:00', '02T09:20', '02T09:40', '03T09:00']],
    [
      'earlier: all that have passed run late',
      EARLIER,
      ['02T07:00 at 02T07:55', '02T07:20 at 02T07:55', '02T07:40 at 02T07:55', '03T07:00'],
    ],
  ])('within an hour: %s', async (_, rules, expected) => {
    const job = await create('*/20 9 * * *', { misfire: { policy: 'runAll' } });
    await until('01T18:00');
    useZoneRules(rules);
    await until('03T09:10');
    expect(runs(job).slice(0, 4)).toEqual(expected);
  });

  test.each([
    ['later', LATER, ['02T09:00', '02T10:00', '02T11:00', '03T09:00']],
    // the old time of the first is the new time of the second
    ['earlier', EARLIER, ['02T07:00 at 02T07:55', '02T08:00', '02T09:00', '03T07:00']],
  ])('onto each other: %s', async (_, rules, expected) => {
    const job = await create('0 9-11 * * *');
    await until('01T18:00');
    useZoneRules(rules);
    await until('03T09:10');
    expect(runs(job).slice(0, 4)).toEqual(expected);
  });

  // on the day before they ran at 08:00Z, 09:00Z and 10:00Z
  test.each([
    ['later', '0 9-11 * * *', LATER, ['03T09:00', '03T10:00', '03T11:00']],
    ['earlier', '0 9-11 * * *', EARLIER, ['03T07:00 at 03T07:55', '03T08:00', '03T09:00']],
    [
      'earlier, from that day on',
      '0 9-11 * * *',
      since('2026-12-03T00:00:00Z', 2 * HOUR),
      ['03T07:00 at 03T07:55', '03T08:00', '03T09:00'],
    ],
    [
      'earlier, within an hour',
      '*/20 9 * * *',
      EARLIER,
      ['03T07:00 at 03T07:55', '03T07:20 at 03T07:55', '03T07:40 at 03T07:55'],
    ],
  ])('after a day that has run: %s', async (_, cron, rules, expected) => {
    const job = await create(cron, { misfire: { policy: 'runAll' } });
    await until('02T18:00');
    const before = runs(job);
    expect(before).toHaveLength(3);
    useZoneRules(rules);
    await until('04T06:00');
    expect(runs(job)).toEqual([...before, ...expected]);
  });

  test('by half an hour, of one in every hour: no hour is lost', async () => {
    const job = await create('0 * * * *');
    await until('02T03:10');
    useZoneRules(HALF_AN_HOUR_EARLIER);
    await until('02T06:00');
    expect(runs(job).slice(-5)).toEqual([
      '02T02:00',
      '02T03:00',
      '02T03:30 at 02T03:55',
      '02T04:30',
      '02T05:30',
    ]);
  });

  test('by an hour, of one in every ten minutes: nothing changes', async () => {
    const job = await create('*/10 * * * *');
    await until('02T03:05');
    useZoneRules(EARLIER);
    await until('02T05:05');
    const minutes = Array.from({ length: 12 }, (_, i) =>
      short(Date.parse('2026-12-02T03:10:00Z') + i * 10 * MINUTE),
    );
    expect(runs(job).slice(-12)).toEqual(minutes);
  });
});

describe('what is under way when the rules change', () => {
  test('a message that was sent runs at its old time, once', async () => {
    const job = await create('0 9 * * *');
    await until('02T07:57');
    useZoneRules(LATER);
    await until('03T12:00');
    expect(runs(job)).toEqual(['02T08:00', '03T09:00']);
  });

  test('a message that was sent and lost does not lose the run: settle plans what it has become', async () => {
    const job = await create('0 9 * * *');
    await until('02T07:57');
    lost.add('02T08:00');
    useZoneRules(LATER);
    await until('03T12:00');
    expect(runs(job)).toEqual(['02T09:00', '03T09:00']);
  });

  test('the message of a run that came late is lost: its check sends it again', async () => {
    const job = await create('0 9 * * *');
    await until('01T18:00');
    useZoneRules(EARLIER);
    lost.add('02T07:00');
    await until('03T06:00');
    expect(runs(job)).toEqual([expect.stringMatching(/^02T07:00 at 02T0[78]:/)]);
  });

  test('a slot that is dispatched twice sends nothing else', async () => {
    const job = await create('0 9 * * *');
    await until('02T07:50');
    useZoneRules(EARLIER);
    const slot = minuteOf(Date.parse('2026-12-02T08:00:00Z'));
    for (let time = 1; time <= 2; time++) await dispatchSlot(world.context, 0, slot);
    expect(new Set(world.sent.map(({ due }) => short(dueAtOf(due))))).toEqual(new Set(['02T07:00']));
    await until('03T12:00');
    expect(runs(job)).toEqual(['02T07:00 at 02T07:51', '03T07:00']);
  });

  test('data that is taken back loses no run', async () => {
    const job = await create('0 9 * * *');
    await until('01T18:00');
    useZoneRules(LATER);
    await until('02T08:30');
    useZoneRules(NOTHING_CHANGES);
    await until('03T12:00');
    expect(runs(job)).toEqual(['02T08:00 at 02T08:55', '03T08:00']);
  });

  test('an API with older data plans; what is due before the job was there does not run', async () => {
    await until('02T07:30');
    const job = await create('0 9 * * *');
    useZoneRules(EARLIER);
    await until('03T12:00');
    expect(runs(job)).toEqual(['03T07:00']);
  });

  test('what moves into a pause that has an end does not run', async () => {
    const job = await create('0 9 * * *');
    const pauseEnd = Date.parse('2026-12-02T07:30:00Z');
    await pauseJob(world.context, { userId: 'ann', operator: false }, job, { until: pauseEnd });
    await until('01T18:00');
    useZoneRules(EARLIER);
    await until('03T12:00');
    expect(runs(job)).toEqual(['03T07:00']);
  });

  test('an occurrence that has moved away is no longer found', async () => {
    const job = await create('0 9 * * *');
    await until('01T18:00');
    const id = (time: string) => `${job}.${Date.parse(`2026-12-02T${time}:00Z`)}`;
    const who = { userId: 'ann', operator: false };
    await expect(getExecution(world.context, who, id('08:00'))).resolves.toMatchObject({
      status: 'scheduled',
    });
    useZoneRules(LATER);
    await until('02T08:30');
    await expect(getExecution(world.context, who, id('08:00'))).rejects.toThrow('no execution');
    await expect(getExecution(world.context, who, id('09:00'))).resolves.toMatchObject({
      status: 'scheduled',
    });
  });
});

test('while no rules change, nothing more is read or written', async () => {
  const jobs = [await create('0 9-17 * * *'), await create('*/7 * * * *'), await create('30 2 * * *')];
  await until('01T13:00');
  const { store } = world;
  let reads = 0;
  const hasEntry = store.hasEntry.bind(store);
  store.hasEntry = (entry) => {
    reads++;
    return hasEntry(entry);
  };
  await until('03T13:00');
  expect(reads).toBe(0);
  expect(store.snapshot().entries.filter(({ kind }) => kind === 'check')).toEqual([]);
  // the first may be due at the very time of its creation
  for (const job of jobs)
    expect(
      runs(job)
        .slice(1)
        .filter((run) => !/^\d\dT\d\d:\d\d$/.test(run)),
    ).toEqual([]);
});

describe('excluded times that have moved', () => {
  test('an occurrence that has moved into an excluded range does not run, and neither does the one before it again', async () => {
    const except = [{ from: '2026-12-03T08:30:00Z', to: '2026-12-03T10:00:00Z' }];
    const job = await create('0 9 * * *', { schedule: { cron: '0 9 * * *', timezone: PARIS, except } });
    await until('02T12:00');
    useZoneRules(LATER);
    await until('04T12:00');
    expect(runs(job)).toEqual(['02T08:00', '04T09:00']);
  });

  test.each([
    ['ends later: the planned run is dropped', LATER, ['02T22:30', '04T00:30', '04T01:30']],
    [
      'ends earlier: a run that was excluded is found',
      EARLIER,
      ['02T22:30', '03T22:30 at 03T23:25', '03T23:30', '04T00:30', '04T01:30'],
    ],
  ])('an excluded date of a rate %s', async (_, rules, expected) => {
    const schedule = {
      every: 'PT1H',
      startAt: '2026-12-02T22:30:00Z',
      timezone: PARIS,
      except: ['2026-12-03'],
    };
    const job = await create('', { schedule, misfire: { policy: 'runAll' } });
    await until('03T12:00');
    useZoneRules(rules);
    await until('04T02:00');
    expect(runs(job)).toEqual(expected);
  });

  test('occurrences are planned past an excluded range, and the job is completed if none is left', async () => {
    const schedule = {
      cron: '0 * * * *',
      timezone: PARIS,
      except: ['2026-12-02'],
      endAt: '2026-12-03T00:00:00Z',
    };
    const job = await create('', { schedule });
    await until('03T06:00');
    expect(runs(job)).toEqual([
      '01T12:00 at 01T12:01',
      ...Array.from({ length: 10 }, (_, hour) => `01T${13 + hour}:00`),
      '02T23:00',
      '03T00:00',
    ]);
  });
});
