import { describe, expect, it } from 'vitest';
import { DEPLOYED_LIMITS } from '../../src/domain/jobs/owner-limits.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { readWorkerConfig } from '../../src/worker/config.ts';

describe('the configuration of a worker', () => {
  it('has a default for everything', () => {
    expect(readWorkerConfig({ PATH: '/bin', PUNCTUAL_CONCURRENCY: '' })).toEqual({
      prefix: 'punctual-',
      queues: 1,
      store: { retentionDays: undefined, groupCommit: true },
      aliveFile: undefined,
      metrics: false,
      agentUri: undefined,
      queueUrls: undefined,
      deadLetterUrl: undefined,
      concurrency: 100,
      ownerShare: 0.8,
      limits: DEPLOYED_LIMITS,
      drainMs: 110_000,
      protectMs: 7_200_000,
      logLevel: 'info',
      endpoints: { dynamodb: undefined, sqs: undefined },
      settings: DEFAULT_SETTINGS,
    });
  });

  it('takes what it is given', () => {
    const env = {
      PUNCTUAL_PREFIX: 'stage-',
      PUNCTUAL_QUEUE_URLS: 'http://127.0.0.1:4566/000000000000/a, http://127.0.0.1:4566/000000000000/b',
      PUNCTUAL_CONCURRENCY: '7',
      PUNCTUAL_DRAIN_SECONDS: '0.5',
      PUNCTUAL_LEASE_MS: '60000',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:4566',
      AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9324',
    };
    expect(readWorkerConfig(env)).toMatchObject({
      prefix: 'stage-',
      queues: 2,
      queueUrls: ['http://127.0.0.1:4566/000000000000/a', 'http://127.0.0.1:4566/000000000000/b'],
      concurrency: 7,
      drainMs: 500,
      endpoints: { dynamodb: 'http://127.0.0.1:4566', sqs: 'http://127.0.0.1:9324' },
      settings: { leaseMs: 60_000 },
    });
  });

  it.each([
    ['PUNCTUAL_CONCURRENCY', 'many', /PUNCTUAL_CONCURRENCY must be a .*number.*, got "many"/],
    ['PUNCTUAL_CONCURRENCY', '0', /PUNCTUAL_CONCURRENCY must be at least 1, got/],
    ['PUNCTUAL_OWNER_SHARE', '0', /PUNCTUAL_OWNER_SHARE must be at least 0.1, got/],
    ['PUNCTUAL_OWNER_SHARE', '80', /PUNCTUAL_OWNER_SHARE must be at most 1, got/],
    ['PUNCTUAL_DRAIN_SECONDS', '-1', /PUNCTUAL_DRAIN_SECONDS must be at least 0, got/],
    ['PUNCTUAL_PREFIX', 'a b', /PUNCTUAL_PREFIX must be up to 40 letters/],
    ['PUNCTUAL_QUEUE_URLS', 'http://a/b,queue', /PUNCTUAL_QUEUE_URLS.* must be a URL, got "queue"/],
    ['PUNCTUAL_LOG', 'loud', /PUNCTUAL_LOG must be one of "debug".*, got "loud"/],
    [
      'PUNCTUAL_LOOK_AHEAD_MS',
      '1200000',
      /^PUNCTUAL_LOOK_AHEAD_MS must be from 60000 to 780000 .*, got 1200000$/,
    ],
    [
      'PUNCTUAL_LOOK_AHEAD_MS',
      '30000',
      /^PUNCTUAL_LOOK_AHEAD_MS must be from 60000 to 780000 .*, got 30000$/,
    ],
    ['PUNCTUAL_HEARTBEAT_MS', '29000', /PUNCTUAL_HEARTBEAT_MS must be at most half of PUNCTUAL_LEASE_MS/],
  ])(
    'stops at %s=%s with a sentence that names it, the value and what is allowed',
    (name, value, sentence) => {
      expect(() => readWorkerConfig({ [name]: value })).toThrow(sentence);
    },
  );
});
