import { expect, test } from 'vitest';
import { WriterTooSlow, writerDeadline } from '../../../src/scheduling/records/writer-deadline.ts';
import { standingWorld } from '../../support/standing-world.ts';

test('a writer may decide until its deadline, and not after it', () => {
  const world = standingWorld();
  const { writerDeadlineMs } = world.context.settings;
  const inTime = writerDeadline(world.context);
  world.now += writerDeadlineMs;
  expect(inTime).not.toThrow();
  world.now += 1;
  expect(inTime).toThrow(WriterTooSlow);
});

test('a writer whose clock was corrected meanwhile gives up, because its entries are of another time', () => {
  const world = standingWorld();
  const { context } = world;
  const began = world.now;
  const inTime = writerDeadline({ ...context, clock: { ...context.clock, monotonic: () => began } });
  world.now -= context.settings.clockSkewMs + 1;
  expect(inTime).toThrow('the clock was corrected');
});
