// The SDK clients of the built-in tasks, each loaded and made when it is first asked for.
import type { AwsClients } from '../services.ts';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface AwsOptions {
  /** Absent, as the rest: what the SDK finds. */
  readonly region?: string;
  readonly credentials?: Credentials;
  /** In local mode one engine is SQS, SNS and S3; the other services are the region's own. */
  readonly embedded?: { readonly endpoint: string; readonly credentials: Credentials };
}

/** A function may run for 15 minutes before it answers; everything else answers soon. */
const LAMBDA_TIMEOUT_MS = 910_000;
const CALL_TIMEOUT_MS = 10_000;

export function lazyAwsClients({ region, credentials, embedded }: AwsOptions = {}): AwsClients {
  const common = (requestTimeout = CALL_TIMEOUT_MS) => ({
    region,
    credentials,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout, throwOnRequestTimeout: true },
  });
  const own = { ...common(), ...embedded };
  return {
    lambda: once(async () => {
      const { LambdaClient } = await import('@aws-sdk/client-lambda');
      // a call that was not answered may have run: whether it is made again is for the job's `retry` to say
      return new LambdaClient({ ...common(LAMBDA_TIMEOUT_MS), maxAttempts: 1 });
    }),
    sqs: once(async () => {
      const { SQSClient } = await import('@aws-sdk/client-sqs');
      // or else a job could name a host of its own as a queue, and be sent a request that is signed by the worker
      return new SQSClient({ ...own, useQueueUrlAsEndpoint: false });
    }),
    sns: once(async () => new (await import('@aws-sdk/client-sns')).SNSClient(own)),
    eventbridge: once(
      async () => new (await import('@aws-sdk/client-eventbridge')).EventBridgeClient(common()),
    ),
    ses: once(async () => new (await import('@aws-sdk/client-sesv2')).SESv2Client(common())),
    ecs: once(async () => new (await import('@aws-sdk/client-ecs')).ECSClient(common())),
    s3: once(
      async () =>
        new (await import('@aws-sdk/client-s3')).S3Client({
          ...own,
          forcePathStyle: embedded !== undefined,
        }),
    ),
    logs: once(
      async () => new (await import('@aws-sdk/client-cloudwatch-logs')).CloudWatchLogsClient(common()),
    ),
    secretsManager: once(
      async () => new (await import('@aws-sdk/client-secrets-manager')).SecretsManagerClient(common()),
    ),
    ssm: once(async () => new (await import('@aws-sdk/client-ssm')).SSMClient(common())),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
