import { expect, test } from 'vitest';
import { ExpiryLine } from '../../src/concurrency/expiry-line.ts';
import { StandingClock } from '../support/standing-clock.ts';

test('each item expires after the same time', async () => {
  const clock = new StandingClock();
  const expired: string[] = [];
  const line = new ExpiryLine<string>(clock, 100, (item) => expired.push(item));
  line.add('a');
  await clock.advance(60);
  line.add('b');
  await clock.advance(39);
  expect(expired).toEqual([]);
  await clock.advance(1);
  expect(expired).toEqual(['a']);
  await clock.advance(60);
  expect(expired).toEqual(['a', 'b']);
  await clock.advance(1_000);
  line.add('c');
  await clock.advance(100);
  expect(expired, 'the line runs again after it was empty').toEqual(['a', 'b', 'c']);
});

test('nothing expires after the line is closed', async () => {
  const clock = new StandingClock();
  const expired: string[] = [];
  const line = new ExpiryLine<string>(clock, 100, (item) => expired.push(item));
  line.add('a');
  line.close();
  await clock.advance(1_000);
  expect(expired).toEqual([]);
});
