// Finds settings that contradict each other although each one is valid.
import { hasConsole } from './has-console.ts';
import type { DeploymentSettings } from './settings.ts';

/** The memory in MiB that Fargate on arm64 allows, by CPU units. */
const FARGATE_SIZES: Readonly<Record<number, { min: number; max: number }>> = {
  256: { min: 512, max: 2_048 },
  512: { min: 1_024, max: 4_096 },
  1024: { min: 2_048, max: 8_192 },
  2048: { min: 4_096, max: 16_384 },
  4096: { min: 8_192, max: 30_720 },
  8192: { min: 16_384, max: 61_440 },
  16384: { min: 32_768, max: 122_880 },
};

/** Words that the domain of a user pool must not contain. */
const RESERVED = /aws|amazon|cognito/;

/** The name of the canary's client in the user pool. */
export const CANARY = 'canary';

/** One sentence for each contradiction. */
export function contradictions(settings: DeploymentSettings): string[] {
  const { shards, watchers, workerCpu, workerMemory, minWorkers, maxWorkers, minCapacity, maxCapacity } =
    settings;
  const size = FARGATE_SIZES[workerCpu];
  const fits = size && workerMemory >= size.min && workerMemory <= size.max;
  const step = workerCpu === 256 && workerMemory === 512 ? 512 : workerCpu >= 8192 ? 4096 : 1024;
  return [
    watchers > shards && `watchers must be at most shards (${shards}), got ${watchers}`,
    maxWorkers < minWorkers && `maxWorkers must be at least minWorkers (${minWorkers}), got ${maxWorkers}`,
    maxCapacity < minCapacity &&
      `maxCapacity must be at least minCapacity (${minCapacity}), got ${maxCapacity}`,
    (!fits || workerMemory % step !== 0) &&
      `workerMemory must be ${size?.min} to ${size?.max} in steps of ${step} with workerCpu ${workerCpu}, got ${workerMemory}`,
    settings.indexPartitionsWritten > settings.indexPartitions &&
      `indexPartitionsWritten must be at most indexPartitions (${settings.indexPartitions}), got ${settings.indexPartitionsWritten}: deploy with the higher indexPartitions first`,
    settings.warmWritesPerSecond !== undefined &&
      settings.capacity === 'provisioned' &&
      'warmWritesPerSecond requires capacity onDemand; use minCapacity for provisioned tables',
    ...(['warmWritesPerSecond', 'maxCapacity'] as const).map(
      (name) =>
        (settings[name] ?? 0) > settings.tableQuotaPerSecond &&
        `${name} must be at most tableQuotaPerSecond (${settings.tableQuotaPerSecond}), got ${settings[name]}`,
    ),
    ...bothOrNeither(settings, 'issuer', 'audience'),
    ...bothOrNeither(settings, 'domainName', 'certificateArn'),
    ...bothOrNeither(settings, 'hostedZoneId', 'hostedZoneName'),
    ...bothOrNeither(settings, 'vpcId', 'subnetIds'),
    ...bothOrNeither(settings, 'vpcId', 'availabilityZones'),
    ...(['issuer', 'audience', 'serviceClients'] as const).map(
      (name) =>
        settings[name] !== undefined &&
        settings.authorization === 'iam' &&
        `${name} requires authorization jwt, because signed requests have no token`,
    ),
    settings.operatorRoles !== undefined &&
      settings.authorization === 'jwt' &&
      'operatorRoles requires authorization iam; with tokens, operators are the members of operatorsGroup',
    settings.serviceClients !== undefined &&
      settings.issuer !== undefined &&
      'serviceClients requires the user pool of the stack; with an issuer of your own, create the clients there',
    hasUserPoolDomain(settings) &&
      RESERVED.test(settings.stage) &&
      `stage must not contain aws, amazon or cognito with serviceClients, canary or console (set console to false), because Cognito refuses such a domain, got "${settings.stage}"`,
    settings.console === true &&
      settings.authorization === 'iam' &&
      'console requires authorization jwt, because browsers have no AWS credentials to sign requests with',
    settings.console === true &&
      settings.issuer !== undefined &&
      settings.consoleClientId === undefined &&
      'console requires consoleClientId with an issuer of your own: create a public client for it there',
    settings.consoleClientId !== undefined &&
      settings.issuer === undefined &&
      'consoleClientId requires issuer; the user pool of the stack has a client for the console',
    settings.consoleClientId !== undefined &&
      settings.console === false &&
      'consoleClientId is given although console is false',
    settings.canary &&
      settings.issuer !== undefined &&
      'canary requires the user pool of the stack, or authorization iam; with an issuer of your own, it has no client to get tokens with',
    settings.canary &&
      settings.serviceClients?.includes(CANARY) &&
      `serviceClients must not contain "${CANARY}" with canary, because the canary has this client`,
    settings.hostedZoneId !== undefined &&
      settings.domainName === undefined &&
      'hostedZoneId is given without domainName',
  ].filter((sentence) => typeof sentence === 'string');
}

/** Whether the stack's user pool has a domain: for the tokens of services, or for the login page of the console. */
const hasUserPoolDomain = (settings: DeploymentSettings): boolean =>
  settings.authorization === 'jwt' &&
  settings.issuer === undefined &&
  (settings.serviceClients !== undefined || settings.canary || hasConsole(settings));

function bothOrNeither(
  settings: DeploymentSettings,
  a: keyof DeploymentSettings,
  b: keyof DeploymentSettings,
) {
  if ((settings[a] === undefined) === (settings[b] === undefined)) return [];
  const [given, missing] = settings[a] === undefined ? [b, a] : [a, b];
  return [`${given} is given without ${missing}`];
}
