// The tasks and their services for workers and the notifier on AWS.

import { withCustomTasks } from '../custom-tasks.ts';
import { addressRules } from '../http/addresses.ts';
import { guardedAgent } from '../http/guarded-connect.ts';
import { HostLimiter } from '../http/host-limiter.ts';
import type { HttpServices } from '../http/http.ts';
import { derivedKeys, type SigningKeys } from '../http/signing-keys.ts';
import { builtinTasks } from '../registry.ts';
import { fargateScripts } from '../script/script-fargate.ts';
import { secretsManagerSecrets, ssmSecrets } from '../secrets/secret-stores.ts';
import { type Secrets, withSecrets } from '../secrets/secrets.ts';
import type { AwsClients, ContainerNetwork, TaskServices } from '../services.ts';
import { DoNotRetry, type Tasks } from '../task.ts';
import {
  allowedRecipients,
  allowedTargets,
  containerNetwork,
  enabledOnAws,
  type TaskVariables,
} from '../task-settings.ts';
import { classifyAwsError } from './sdk-errors.ts';
import { createTargets, type Targets } from './targets.ts';
import { lazyAwsClients } from './task-clients.ts';

export interface OnAws {
  /** Maximum number of tasks that this worker runs concurrently. */
  readonly concurrency: number;
  /** The largest share of a host's limit that one owner alone may use. */
  readonly ownerShare?: number;
  /** Prefix of the scheduler's own queues. Jobs may not send to them. */
  readonly prefix: string;
  readonly aws?: AwsClients;
}

/** The tasks of a worker. */
export async function tasksOnAws(given: TaskVariables, options: OnAws): Promise<Tasks> {
  const aws = options.aws ?? lazyAwsClients();
  const services = servicesOnAws(given, aws, options);
  const tasks = await withCustomTasks(
    builtinTasks(services, enabledOnAws(given)),
    given.PUNCTUAL_TASKS_FOLDER,
  );
  return withSecrets(tasks, secretsOf(given, aws));
}

function servicesOnAws(
  given: TaskVariables,
  aws: AwsClients,
  { concurrency, ownerShare, prefix }: OnAws,
): TaskServices {
  const rules = addressRules({ allow: given.PUNCTUAL_ALLOW_HTTP }); // throws at the start if an entry is invalid
  const http = once<HttpServices>(() => ({
    dispatcher: guardedAgent(rules),
    hostLimiter: new HostLimiter({ perHost: perHost(concurrency), ownerShare }),
    signingKeys: signingKeysOf(given, aws),
  }));
  const { PUNCTUAL_SCRIPT_TASK_DEFINITION: taskDefinition = '', PUNCTUAL_SCRIPT_BUCKET: bucket = '' } = given;
  return {
    aws,
    targets: createTargets({ allow: allowedTargets(given), never: ownQueues(prefix) }),
    recipients: allowedRecipients(given),
    http,
    containers: () => requireContainerNetwork(given),
    scripts: once(() => {
      const { PUNCTUAL_SCRIPT_SUBNETS: subnets, PUNCTUAL_SCRIPT_SECURITY_GROUPS: groups } = given;
      const shared = requireContainerNetwork(given);
      const network = {
        ...shared,
        subnets: subnets ?? shared.subnets,
        securityGroups: groups ?? shared.securityGroups,
      };
      return fargateScripts({ aws, network, taskDefinition, bucket });
    }),
  };
}

/** The tasks that deliver notifications. Topics must be allowed as for jobs. Sender and bus are configuration. */
export function notificationTasksOnAws(
  given: TaskVariables,
  { emailFrom, bus, aws = lazyAwsClients() }: { emailFrom?: string; bus?: string; aws?: AwsClients },
): Tasks {
  const services = servicesOnAws(given, aws, { concurrency: NOTIFIER_CONCURRENCY, prefix: '' });
  return notificationTasks({
    ...services,
    targets: notificationTargets(allowedTargets(given).sns ?? [], emailFrom, bus),
  });
}

const NOTIFIER_CONCURRENCY = 50;

export const notificationTasks = (services: TaskServices): Tasks =>
  builtinTasks(services, ['http', 'email', 'sns', 'eventbridge']);

export const notificationTargets = (sns: readonly string[], emailFrom?: string, bus?: string): Targets =>
  createTargets({
    allow: { sns, email: emailFrom ? [emailFrom] : [], eventbridge: bus ? [bus] : [] },
  });

/** A quarter of the places, so that three slow hosts leave a quarter for all others. Small workers allow up to 4. */
export const perHost = (concurrency: number): number =>
  Math.max(Math.floor(concurrency / 4), Math.min(concurrency, 4));

export const ownQueues = (prefix: string) => ({ sqs: [`*/${prefix}*`] });

export function requireContainerNetwork(given: TaskVariables): ContainerNetwork {
  const network = containerNetwork(given);
  if (network) return network;
  throw new DoNotRetry(
    'containers are not configured: PUNCTUAL_CONTAINER_CLUSTER and PUNCTUAL_CONTAINER_SUBNETS must be set',
  );
}

function signingKeysOf(given: TaskVariables, aws: AwsClients): SigningKeys | undefined {
  const { PUNCTUAL_SIGNING_SECRET: SecretId } = given;
  if (SecretId === undefined) return undefined;
  return derivedKeys(async () => {
    const { GetSecretValueCommand } = await import('@aws-sdk/client-secrets-manager');
    const client = await aws.secretsManager();
    const { SecretString = '' } = await client
      .send(new GetSecretValueCommand({ SecretId }))
      .catch((error: unknown) => Promise.reject(classifyAwsError('read the signing keys', error)));
    return parseSecretJson(SecretString);
  });
}

/** Undefined if the text is not JSON. The error of the parser would quote the secret. */
function parseSecretJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secretsOf({ PUNCTUAL_SECRETS: where }: TaskVariables, aws: AwsClients): Secrets {
  if (where === undefined)
    return { location: 'this deployment: PUNCTUAL_SECRETS is not set', read: async () => undefined };
  const prefix = where.slice(where.indexOf(':') + 1);
  return where.startsWith('ssm:') ? ssmSecrets(aws, prefix) : secretsManagerSecrets(aws, prefix);
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
