import { expect, test } from 'vitest';
import { Stopper } from '../../src/concurrency/stopper.ts';

test('calls each listener once, at the stop', () => {
  const stopper = new Stopper();
  const called: string[] = [];
  const removed = () => called.push('removed');
  stopper.addEventListener('abort', () => called.push('a'));
  stopper.addEventListener('abort', removed);
  stopper.removeEventListener('abort', removed);
  expect(stopper.aborted).toBe(false);
  stopper.stop();
  stopper.stop();
  expect(stopper.aborted).toBe(true);
  expect(called).toEqual(['a']);
});

test('a listener may remove itself and others while it is called', () => {
  const stopper = new Stopper();
  const called: string[] = [];
  const second = () => called.push('second');
  const first = () => {
    called.push('first');
    stopper.removeEventListener('abort', first);
    stopper.removeEventListener('abort', second);
  };
  stopper.addEventListener('abort', first);
  stopper.addEventListener('abort', second);
  stopper.stop();
  expect(called).toEqual(['first']);
});
