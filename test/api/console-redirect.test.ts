import { expect, it } from 'vitest';
import { consoleRedirect } from '../../src/api/http/console-redirect.ts';
import { eventOf } from '../support/api-events.ts';

it('leads /console/ to /console with the code of a login', () => {
  const { statusCode, headers } =
    consoleRedirect(eventOf('GET', '/console/?code=a%2Fb&state=c', { user: null })) ?? {};
  expect([statusCode, headers?.location]).toEqual([302, '/console?code=a%2Fb&state=c']);
  expect(consoleRedirect(eventOf('GET', '/console/', { user: null }))?.headers?.location).toBe('/console');
});

it.each([
  ['GET', '/console'],
  ['GET', '/console//'],
  ['GET', '//console/'],
  ['GET', '/console/jobs'],
  ['POST', '/console/'],
  ['GET', '/jobs'],
])('leaves %s %s to the API', (method, path) => {
  expect(consoleRedirect(eventOf(method, path))).toBeUndefined();
});
