// The limits of one owner: their names, their allowed values and their defaults. 0 means no limit.
// docs/decisions/0038-limits-per-owner.md has the reason for each default.
import { z } from 'zod';

export const LIMIT_NAMES = [
  'runningExecutions',
  'startsPerMinute',
  'createsPerMinute',
  'activeJobs',
  'storedBytes',
  'shortestIntervalSeconds',
  'longestTimeoutSeconds',
  'requestsPerSecond',
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** 0 means no limit. */
export type OwnerLimits = Readonly<Record<LimitName, number>>;

export const NO_LIMITS: OwnerLimits = {
  runningExecutions: 0,
  startsPerMinute: 0,
  createsPerMinute: 0,
  activeJobs: 0,
  storedBytes: 0,
  shortestIntervalSeconds: 0,
  longestTimeoutSeconds: 0,
  requestsPerSecond: 0,
};

/** The defaults on AWS, where many owners share the tables and the workers. */
export const DEPLOYED_LIMITS: OwnerLimits = {
  runningExecutions: 1_000,
  startsPerMinute: 3_000,
  createsPerMinute: 3_000,
  activeJobs: 10_000,
  storedBytes: 1_000_000_000,
  shortestIntervalSeconds: 5,
  longestTimeoutSeconds: 7_200,
  requestsPerSecond: 50,
};

/** The defaults of local mode: a load test of one machine passes, and a script that never ends is stopped. */
export const LOCAL_LIMITS: OwnerLimits = {
  runningExecutions: 1_000,
  startsPerMinute: 60_000,
  createsPerMinute: 60_000,
  activeJobs: 100_000,
  storedBytes: 1_000_000_000,
  shortestIntervalSeconds: 1,
  longestTimeoutSeconds: 7_200,
  requestsPerSecond: 1_000,
};

/** A misplaced digit is refused. No limit is needed above these values. */
const MAX_VALUES: OwnerLimits = {
  runningExecutions: 1_000_000,
  startsPerMinute: 1_000_000,
  createsPerMinute: 1_000_000,
  activeJobs: 10_000_000,
  storedBytes: 1_000_000_000_000,
  shortestIntervalSeconds: 31_536_000,
  // the maximum of `timeoutSeconds`
  longestTimeoutSeconds: 43_200,
  requestsPerSecond: 100_000,
};

/** The schema of a limit's value. */
export const limitValue = (name: LimitName) => z.number().int().min(0).max(MAX_VALUES[name]);

/** One field for each limit. */
export const perLimit = <Value>(of: (name: LimitName) => Value): Record<LimitName, Value> =>
  Object.fromEntries(LIMIT_NAMES.map((name) => [name, of(name)])) as Record<LimitName, Value>;

const DESCRIPTIONS: Readonly<Record<LimitName, string>> = {
  runningExecutions: 'executions that run at the same time',
  startsPerMinute: 'executions that people start per minute: run, retry, redrive, backfill',
  createsPerMinute: 'jobs that are created per minute',
  activeJobs: 'jobs that are active or paused',
  storedBytes:
    'bytes of all jobs, also ended ones, with all versions of their params and the records of changes',
  shortestIntervalSeconds: 'shortest interval between two occurrences of a schedule',
  longestTimeoutSeconds: 'longest timeoutSeconds of a job',
  requestsPerSecond: 'requests per second; on AWS, one that takes long counts several times',
};

/** The values that operators have set for one owner. For the others, the defaults of the deployment apply. */
export interface LimitsOfOwner {
  readonly limits: Partial<OwnerLimits>;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
  /** The user id of the operator. */
  readonly updatedBy: string;
}

/** The limits that an operator sets. */
export const ownLimitsSchema = z
  .strictObject(perLimit((name) => limitValue(name).nullable().optional().describe(DESCRIPTIONS[name])))
  .meta({ id: 'NewLimits', description: 'Null or absent: the default of the deployment. 0: no limit.' });

export type OwnLimitsInput = z.output<typeof ownLimitsSchema>;

const limitShape = z.strictObject({
  value: z.int().describe('the value that applies; 0: no limit'),
  default: z.int().describe('the default of the deployment'),
  own: z.int().nullable().describe('the value that an operator has set; null: none'),
  used: z.int().optional().describe('what is used now; absent if it is not counted'),
});

export const limitsShape = z
  .strictObject({
    owner: z.string(),
    limits: z.strictObject(perLimit((name) => limitShape.describe(DESCRIPTIONS[name]))),
    updatedAt: z.iso.datetime().optional(),
    updatedBy: z.string().optional().describe('user id of the operator'),
  })
  .meta({ id: 'Limits', description: 'The limits of one owner.' });

export type LimitsView = z.output<typeof limitsShape>;

export function limitsView(
  owner: string,
  defaults: OwnerLimits,
  own: LimitsOfOwner | undefined,
  used: Partial<OwnerLimits> = {},
): LimitsView {
  return {
    owner,
    limits: perLimit((name) => {
      const value = own?.limits[name] ?? defaults[name];
      // a counter of a limit that is off is not kept
      const isCounted = value > 0 || name === 'runningExecutions';
      return {
        value,
        default: defaults[name],
        own: own?.limits[name] ?? null,
        ...(isCounted && used[name] !== undefined && { used: used[name] }),
      };
    }),
    ...(own && { updatedAt: new Date(own.updatedAt).toISOString(), updatedBy: own.updatedBy }),
  };
}
