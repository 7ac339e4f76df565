// What is wrong with settings that are right one by one.
import type { DeploymentSettings } from './settings.ts';

/** Of Fargate on arm64: memory in MiB by CPU units. */
const FARGATE_SIZES: Readonly<Record<number, { least: number; most: number }>> = {
  256: { least: 512, most: 2_048 },
  512: { least: 1_024, most: 4_096 },
  1024: { least: 2_048, most: 8_192 },
  2048: { least: 4_096, most: 16_384 },
  4096: { least: 8_192, most: 30_720 },
  8192: { least: 16_384, most: 61_440 },
  16384: { least: 32_768, most: 122_880 },
};

/** What only shows when settings are looked at together. */
export function contradictions(settings: DeploymentSettings): string[] {
  const { shards, watchers, workerCpu, workerMemory, minWorkers, maxWorkers, minCapacity, maxCapacity } =
    settings;
  const size = FARGATE_SIZES[workerCpu];
  const fits = size && workerMemory >= size.least && workerMemory <= size.most;
  const step = workerCpu === 256 && workerMemory === 512 ? 512 : workerCpu >= 8192 ? 4096 : 1024;
  return [
    watchers > shards && `watchers must be at most shards (${shards}), got ${watchers}`,
    maxWorkers < minWorkers && `maxWorkers must be at least minWorkers (${minWorkers}), got ${maxWorkers}`,
    maxCapacity < minCapacity &&
      `maxCapacity must be at least minCapacity (${minCapacity}), got ${maxCapacity}`,
    (!fits || workerMemory % step !== 0) &&
      `workerMemory must be ${size?.least} to ${size?.most} in steps of ${step} with workerCpu ${workerCpu}, got ${workerMemory}`,
    settings.warmWritesPerSecond !== undefined &&
      settings.capacity === 'provisioned' &&
      'warmWritesPerSecond is for capacity onDemand: provisioned tables have minCapacity',
    ...(['warmWritesPerSecond', 'maxCapacity'] as const).map(
      (name) =>
        (settings[name] ?? 0) > settings.tableQuotaPerSecond &&
        `${name} must be at most tableQuotaPerSecond (${settings.tableQuotaPerSecond}), got ${settings[name]}`,
    ),
    ...together(settings, 'issuer', 'audience'),
    ...together(settings, 'domainName', 'certificateArn'),
    ...together(settings, 'hostedZoneId', 'hostedZoneName'),
    ...together(settings, 'vpcId', 'subnetIds'),
    ...together(settings, 'vpcId', 'availabilityZones'),
    settings.hostedZoneId !== undefined &&
      settings.domainName === undefined &&
      'hostedZoneId is given without domainName',
  ].filter((sentence) => typeof sentence === 'string');
}

function together(settings: DeploymentSettings, a: keyof DeploymentSettings, b: keyof DeploymentSettings) {
  if ((settings[a] === undefined) === (settings[b] === undefined)) return [];
  const [given, missing] = settings[a] === undefined ? [b, a] : [a, b];
  return [`${given} is given without ${missing}`];
}
