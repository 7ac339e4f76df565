import { expect, test } from 'vitest';
import { confirmWrite } from '../../../src/scheduling/records/confirm-write.ts';

const done = async () => true;
const refused = async () => false;
const lost = () => Promise.reject(new Error('the response was lost'));

test('a write that took effect is confirmed without a read', async () => {
  expect(await confirmWrite(done, () => Promise.reject(new Error('no read was expected')))).toBe(true);
});

test.each([
  ['refused', refused],
  ['without a response', lost],
])('a write that is %s took effect if the item has its value', async (_how, write) => {
  expect(await confirmWrite(write, done)).toBe(true);
});

test('a write that another has won is refused, and one that nobody can confirm is an error', async () => {
  expect(await confirmWrite(refused, refused)).toBe(false);
  await expect(confirmWrite(lost, refused)).rejects.toThrow('the response was lost');
});
