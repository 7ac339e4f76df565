// The canary on Lambda: a client of the public URL, with a token of its own or with signed requests.
import { Logger } from '@aws-lambda-powertools/logger';
import { createClient } from '../client/client.ts';
import type { Environment } from '../runtime/config.ts';
import { logTo } from '../runtime/log.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { readCanaryConfig } from './config.ts';
import { type Pass, runPass } from './pass.ts';
import { serviceToken } from './service-token.ts';
import { type AwsCredentials, signedFetch } from './signed-fetch.ts';

export type CanaryHandler = () => Promise<Pass>;

/** An attempt may meet a cold start of the API. */
const ATTEMPT_TIMEOUT_MS = 10_000;
/**
 * The longest pause before the second attempt. Two attempts, each with a renewal of the token (service-token.ts), and the pause take
 * at most 45 s. The function may run for 55 s (lib/operations/canary.ts), so a pass that fails can report it.
 */
const MAX_PAUSE_MS = 5_000;

export function createCanary(env: Environment): CanaryHandler {
  const { prefix, url, region, client: service } = readCanaryConfig(env);
  const log = logTo(new Logger({ serviceName: 'punctual-canary' }));
  const metrics = createMetrics(prefix);
  const sign = (name: string) =>
    signedFetch({ service: name, region, credentials: async () => credentialsOf(env), fetch });
  const client = createClient({
    baseUrl: url,
    attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
    retry: { maxAttempts: 2, maxRetryAfterMs: MAX_PAUSE_MS },
    ...(service
      ? { token: serviceToken({ client: service, signed: sign('cognito-idp'), fetch, now: Date.now }) }
      : { fetch: sign('execute-api') }),
  });
  return async () => {
    const pass = await runPass({ client, metrics, log }, Date.now());
    metrics.flush();
    log.info('canary pass finished', { ...pass });
    return pass;
  };
}

/** Lambda puts the credentials of the function's role into its environment. */
const credentialsOf = (env: Environment): AwsCredentials => ({
  accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
  secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
  ...(env.AWS_SESSION_TOKEN !== undefined && { sessionToken: env.AWS_SESSION_TOKEN }),
});
