// Security headers: responses hold the data of one user, so they are not cached, and browsers do not guess their type.
import { expect, it } from 'vitest';
import { operations } from '../../src/api/contract/contract.ts';
import { createService } from '../../src/api/lambda.ts';
import { eventOf } from '../support/api-events.ts';
import { testApi } from './api.ts';
import { bodyOf, prepare, urlOf } from './samples.ts';

const PROTECTED = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

it.each(operations.filter(({ service }) => service !== 'docs'))(
  '$method $path: no-store and nosniff, whatever the answer',
  async (operation) => {
    const api = testApi();
    const things = await prepare(api);
    const url = urlOf(operation, things);
    const answers = [
      await api.call(operation.method, url, {
        body: bodyOf(operation, things),
        groups: ['punctual-operators'],
      }),
      await api.call(operation.method, url, { user: null }),
      await api.call(operation.method, url, { user: 'bob', body: operation.body && '{' }),
    ];
    for (const { headers } of answers) expect(headers).toMatchObject(PROTECTED);
  },
);

it('the answers without a route, to a wrong method and not modified have them too', async () => {
  const { call } = testApi();
  const first = await call('GET', '/jobs');
  const again = await call('GET', '/jobs', { headers: { 'if-none-match': first.headers.etag ?? '' } });
  expect(again.status).toBe(304);
  for (const answer of [again, await call('GET', '/nowhere'), await call('PUT', '/jobs')])
    expect(answer.headers).toMatchObject(PROTECTED);
});

it('the page of the documentation keeps its own', async () => {
  const { call } = testApi();
  expect((await call('GET', '/docs')).headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  });
  expect((await call('GET', '/openapi.json')).headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  });
});

it('a service on Lambda sends them', async () => {
  const handler = createService('query', {
    AWS_REGION: 'us-east-1',
    PUNCTUAL_PREFIX: 'punctual-',
    PUNCTUAL_QUEUE_URLS: 'https://sqs.us-east-1.amazonaws.com/123456789012/punctual-work-0',
    PUNCTUAL_DEAD_LETTER_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/punctual-dead-letters',
  });
  const { headers } = await handler(eventOf('GET', '/tasks', { user: null }), { awsRequestId: '1' } as never);
  expect(headers).toMatchObject(PROTECTED);
});
