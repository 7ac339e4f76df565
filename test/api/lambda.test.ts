import type { Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/contract.ts';
import { createService } from '../../src/api/lambda.ts';
import { eventOf } from '../support/api-events.ts';

const env = {
  AWS_REGION: 'us-east-1',
  PUNCTUAL_PREFIX: 'punctual-',
  PUNCTUAL_QUEUE_URLS: 'https://sqs.us-east-1.amazonaws.com/123456789012/punctual-work-0',
  PUNCTUAL_DEAD_LETTER_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/punctual-dead-letters',
  PUNCTUAL_INGEST_URL: 'https://sqs.us-east-1.amazonaws.com/123456789012/punctual-ingest',
  PUNCTUAL_INGEST_DEAD_LETTER_URL:
    'https://sqs.us-east-1.amazonaws.com/123456789012/punctual-ingest-dead-letters',
};

describe('a service on Lambda', () => {
  it.each(['PUNCTUAL_PREFIX', 'PUNCTUAL_QUEUE_URLS', 'PUNCTUAL_DEAD_LETTER_URL'])(
    'does not start without %s',
    (name) => {
      expect(() => createService('query', { ...env, [name]: undefined })).toThrow(`${name} is missing`);
    },
  );

  it('does not start with queue addresses that are none', () => {
    const call = () => createService('scheduler', { ...env, PUNCTUAL_QUEUE_URLS: 'work-0' });
    expect(call).toThrow('PUNCTUAL_QUEUE_URLS[0] must be a URL');
  });

  it.each(['scheduler', 'query'] as const)('%s answers its own operations and no others', async (service) => {
    const handler = createService(service, env);
    for (const operation of operations.filter(({ auth }) => auth)) {
      const event = eventOf(operation.method, operation.path.replace('{id}', 'x'), { user: null });
      const { statusCode } = await handler(event, { awsRequestId: '1' } as Context);
      expect(statusCode, `${operation.method} ${operation.path}`).toBe(
        operation.service === service ? 401 : 404,
      );
    }
  });

  it('fails as soon as it is loaded, naming what is missing', async () => {
    await expect(import('../../src/api/query.lambda.ts')).rejects.toThrow(/PUNCTUAL_PREFIX is missing/);
  });
});
