// What the page of an execution offers, and its neighbours.
import { describe, expect, it } from 'vitest';
import { canCancel, canRetry, neighboursOf } from '../../../console/screens/execution/execution-texts.ts';

const LIST = [{ id: 'c' }, { id: 'b' }, { id: 'a' }];

describe('neighbours in a list that is newest first', () => {
  it.each([
    ['a', { previous: undefined, next: 'b' }],
    ['b', { previous: 'a', next: 'c' }],
    ['c', { previous: 'b', next: undefined }],
    ['x', {}],
  ])('of %s', (id, expected) => {
    expect(neighboursOf(LIST, id)).toEqual(expected);
  });
});

it('an execution that was asked to stop is not cancelled again', () => {
  expect(canCancel({ status: 'running' })).toBe(true);
  expect(canCancel({ status: 'running', stopping: true })).toBe(false);
});

it.each(['succeeded', 'running', 'queued', 'retrying', 'scheduled'] as const)(
  '%s is not run again',
  (status) => {
    expect(canRetry({ status })).toBe(false);
  },
);
