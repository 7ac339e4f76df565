// The AWS SDK clients of the built-in tasks. Each is loaded and created at its first use.
import type { AwsClients } from '../services.ts';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface AwsOptions {
  /** Absent options have the defaults of the SDK. */
  readonly region?: string;
  readonly credentials?: Credentials;
  /** The local engine for SQS, SNS and S3. The other services are those of AWS. */
  readonly embedded?: { readonly endpoint: string; readonly credentials: Credentials };
}

/** A synchronous invocation may take 15 minutes. All other calls are short. */
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
      // A call without a response may have run the function, so the SDK must not repeat it. The job's `retry` decides.
      return new LambdaClient({ ...common(LAMBDA_TIMEOUT_MS), maxAttempts: 1 });
    }),
    sqs: once(async () => {
      const { SQSClient } = await import('@aws-sdk/client-sqs');
      // With the queue URL as endpoint, a job could send a request that the worker has signed to any host.
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
