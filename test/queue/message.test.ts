// Message bodies: bodies of other versions decode, and invalid optional fields are left out.
import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../src/queue/sqs/message-body.ts';
import { aMessage } from '../support/fixtures.ts';

describe('a message', () => {
  test('decodes to the message that was encoded, with owner and trace', () => {
    const message = aMessage({ owner: 'Zm9vYmFy', trace: 'Root=1-2-3' });
    expect(decode(encode(message))).toStrictEqual(message);
  });

  test('of an earlier version has no owner, and decodes', () => {
    const message = aMessage();
    expect(decode(encode(message))).toStrictEqual(message);
  });

  test.each([1, '', 'x'.repeat(129), null, {}])('with the invalid owner %j decodes without it', (owner) => {
    const message = aMessage();
    const { owner: decoded, ...rest } = decode(JSON.stringify({ ...message, owner })) ?? {};
    expect(decoded).toBeUndefined();
    expect(rest).toEqual(message);
  });

  test('of a later version decodes without the unknown fields', () => {
    const message = aMessage({ owner: 'Zm9vYmFy' });
    expect(decode(JSON.stringify({ ...message, later: true }))).toStrictEqual(message);
  });
});
