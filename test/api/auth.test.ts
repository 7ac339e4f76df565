import { describe, expect, it } from 'vitest';
import { principalOf } from '../../src/api/auth.ts';
import { eventOf } from './events.ts';

describe('operators', () => {
  it.each([
    ['a list', ['admins', 'operators']],
    ['a list as API Gateway writes it', '[admins operators]'],
    ['a single group', 'operators'],
    ['a list with commas', 'admins,operators'],
  ])('by %s', (_, groups) => {
    expect(principalOf(eventOf('GET', '/', { groups }))).toEqual({ userId: 'alice', operator: true });
  });

  it.each([[undefined], ['[operators2]'], [['Operators']], [{ operators: true }], [5]])(
    'not by %o',
    (groups) => {
      expect(principalOf(eventOf('GET', '/', { groups })).operator).toBe(false);
    },
  );

  it("by Cognito's claim", () => {
    const event = eventOf('GET', '/');
    event.requestContext.authorizer = { jwt: { claims: { sub: 'alice', 'cognito:groups': '[operators]' } } };
    expect(principalOf(event).operator).toBe(true);
  });
});
