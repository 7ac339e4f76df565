import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readLocalConfig } from '../../src/local/config.ts';

it('has a default for everything', () => {
  expect(readLocalConfig({})).toMatchObject({
    port: 3000,
    dataFolder: resolve('.punctual'),
    external: undefined,
    hasCredentials: false,
    settings: { shards: 16, leaseMs: 30_000 },
  });
});

it('an empty variable counts as absent', () => {
  expect(readLocalConfig({ PUNCTUAL_PORT: '' }).port).toBe(3000);
});

it.each([
  [{ PUNCTUAL_PORT: '3000x' }, 'PUNCTUAL_PORT must be a number from 0 to 65535, got "3000x"'],
  [{ PUNCTUAL_PORT: '70000' }, 'PUNCTUAL_PORT must be at most 65535, got 70000'],
  [
    { PUNCTUAL_LOG: 'loud' },
    'PUNCTUAL_LOG must be one of "debug", "info", "warn", "error", "silent", got "loud"',
  ],
  [{ PUNCTUAL_SHARDS: '0' }, 'PUNCTUAL_SHARDS must be at least 1, got 0'],
  [{ AWS_ENDPOINT_URL: 'localhost:4566' }, 'AWS_ENDPOINT_URL must be a URL'],
  [{ AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1' }, 'AWS_ENDPOINT_URL_DYNAMODB is missing'],
  [
    { PUNCTUAL_HEARTBEAT_MS: '20000' },
    'PUNCTUAL_HEARTBEAT_MS must be at most half of PUNCTUAL_LEASE_MS (30000)',
  ],
  [
    { PUNCTUAL_WRITER_DEADLINE_MS: '80000' },
    'PUNCTUAL_WRITER_DEADLINE_MS must be less than PUNCTUAL_MARGIN_MS',
  ],
  [
    { PUNCTUAL_MARGIN_MS: '40000' },
    'PUNCTUAL_WATCH_PERIOD_MS and PUNCTUAL_MARGIN_MS together must be at least PUNCTUAL_WRITER_DEADLINE_MS and a minute (90000), got 55000',
  ],
  [
    { PUNCTUAL_LOOK_AHEAD_MS: '840000' },
    "PUNCTUAL_LOOK_AHEAD_MS must be from 60000 to 805000 (SQS's maximum delay of 900000, less PUNCTUAL_WATCH_PERIOD_MS and PUNCTUAL_MARGIN_MS), got 840000",
  ],
  [{ PUNCTUAL_LEASE_MS: '5000' }, 'PUNCTUAL_LEASE_MS must be from 6000 (twice PUNCTUAL_CLOCK_SKEW_MS'],
  [{ PUNCTUAL_LEASE_MS: '86400000' }, 'to 43200000, got 86400000'],
  [{ PUNCTUAL_HEARTBEAT_MS: '0' }, 'PUNCTUAL_HEARTBEAT_MS must be at least 1, got 0'],
])('an error names the variable: %o', (env, message) => {
  expect(() => readLocalConfig(env)).toThrow(message);
});

it('reads endpoints like the SDK: that of a service takes precedence', () => {
  const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9324' };
  expect(readLocalConfig(env).external).toEqual({
    dynamodb: 'http://127.0.0.1:4566',
    sqs: 'http://127.0.0.1:9324',
  });
});
