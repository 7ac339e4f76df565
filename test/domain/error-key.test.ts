// Failures for one reason have one key, and failures for different reasons have different ones.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorKeyOf } from '../../src/domain/executions/error-key.ts';
import { normalizedMessage } from '../../src/domain/executions/error-key-text.ts';

const keyOf = (message: string, name = 'Error') => errorKeyOf({ error: { name, message } });

describe('one key', () => {
  test.each([
    ['numbers', 'timed out after 30000 ms', 'timed out after 250 ms'],
    ['times', 'no answer since 2026-11-17T22:00:00.123Z', 'no answer since 2027-01-01T00:00:00.000Z'],
    [
      'UUIDs',
      'order 6f1c2a90-3f5e-4a57-9d0b-2f6a1f0e8a11 is gone',
      'order 0e0c63d2-1111-4a57-9d0b-aaaaaaaaaaaa is gone',
    ],
    ['ids of jobs', 'job_abcdefghijklmnopqrst failed', 'job_ABCDEFGHIJKLMNOPQRST failed'],
    ['addresses', 'connect ECONNREFUSED 10.0.0.1:443', 'connect ECONNREFUSED 192.168.7.9:8080'],
    ['quoted texts', 'no such file "a.txt"', 'no such file "other.txt"'],
    ['single quotes', "no such table 'orders'", "no such table 'customers'"],
    ['white space', 'a  b\n c', 'a b c'],
    [
      'lengths of ids in a long message',
      `order 7 is gone${' again'.repeat(120)}`,
      `order 4711 is gone${' again'.repeat(120)}`,
    ],
    [
      'end of a very long message',
      `${'a '.repeat(400)}${'b'.repeat(200)}`,
      `${'a '.repeat(400)}${'c'.repeat(900)}`,
    ],
    [
      'place at which a message was cut',
      `row 1: ${'no such column. '.repeat(90)}`.slice(0, 1000),
      `row 12345678: ${'no such column. '.repeat(90)}`.slice(0, 1000),
    ],
  ])('whatever the %s', (_what, one, other) => expect(keyOf(one)).toBe(keyOf(other)));

  test('for any number in the text', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (a, b) => keyOf(`row ${a} of ${b}`) === keyOf(`row ${b} of ${a}`)),
    );
  });
});

describe('different keys', () => {
  test('for different messages and for different names', () => {
    const keys = [
      keyOf('connection refused'),
      keyOf('connection reset'),
      keyOf('connection refused', 'TypeError'),
      errorKeyOf({ reason: 'attempts exhausted' }),
      errorKeyOf({}),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('for long messages that differ after their variable parts', () => {
    const ids = Array.from({ length: 120 }, (_, n) => `${n}-4711`).join(' ');
    expect(keyOf(`${ids} were refused`)).not.toBe(keyOf(`${ids} were lost`));
  });

  test('an apostrophe in a word is not a quote', () => {
    expect(keyOf("can't open the file, don't retry")).not.toBe(keyOf("can't read the disk, don't retry"));
  });
});

test('is stored, so it never changes', () => {
  expect(keyOf('timed out after 30000 ms', 'Timeout')).toBe('ecqYmoU5gY-f');
  expect(normalizedMessage('GET "https://a/b" answered 503 at 12:00')).toBe('GET "" answered # at #');
});

test('has 12 characters, whatever the message, and takes no longer for a large one', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (message, name) => keyOf(message, name).length === 12));
  expect(keyOf('x'.repeat(1_000_000))).toBe(keyOf('x'.repeat(500)));
});
