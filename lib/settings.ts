// The settings of a deployment: every one with its range and its default, for props and for `cdk -c punctual:<name>=…`
// alike. A wrong one stops the synthesis with a sentence.
import type { Node } from 'constructs';
import { z } from 'zod';
import { parse } from '../src/domain/validation.ts';
import { LONGEST_DELAY_MS } from '../src/queue/queue.ts';
import { DEFAULT_SETTINGS } from '../src/scheduling/context.ts';

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const count = (least: number, most: number) => z.number().int().min(least).max(most);
const name = z.string().min(1);
const arn = (service: string) =>
  z.string().regex(new RegExp(`^arn:[\\w-]+:${service}:`), { error: `must be an ARN of ${service}` });

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

/** What the watcher plans beyond the horizon must still fit into SQS's longest delay. */
const LONGEST_LOOK_AHEAD_MINUTES = Math.floor(
  (LONGEST_DELAY_MS - DEFAULT_SETTINGS.watchPeriodMs - DEFAULT_SETTINGS.marginMs) / 60_000,
);

export const settingsSchema = z.strictObject({
  /**
   * Tells the deployments of one account apart; part of every name.
   * @default 'dev'
   */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'must be up to 20 lower-case letters, digits and "-", a letter first',
    })
    .default('dev'),

  /**
   * How far the timetable is spread. May be raised on a running system (docs/capacity.md), never lowered.
   * @default 16
   */
  shards: count(1, 1024).default(DEFAULT_SETTINGS.shards),
  /**
   * Lambdas that share the shards between them, each with a range of its own.
   * @default 1
   */
  watchers: count(1, 64).default(1),
  /**
   * Concurrent runs that are set aside for the watcher: enough for a pass that overlaps the next one. 0: none are set
   * aside, for accounts whose quota of concurrent Lambdas is too small (new ones have 10).
   * @default twice the watchers
   */
  watcherReservedConcurrency: count(0, 1000).optional(),
  /**
   * Work queues. One carries some 120,000 messages in flight.
   * @default 1
   */
  queues: count(1, 64).default(1),
  /**
   * The horizon: what is due within it is in SQS already.
   * @default 5
   */
  lookAheadMinutes: count(1, LONGEST_LOOK_AHEAD_MINUTES).default(DEFAULT_SETTINGS.lookAheadMs / 60_000),

  /**
   * CPU units of a worker; 1024 are one vCPU.
   * @default 1024
   */
  workerCpu: z.literal([256, 512, 1024, 2048, 4096, 8192, 16384]).default(1024),
  /**
   * Memory of a worker in MiB; what Fargate has for that much CPU.
   * @default 2048
   */
  workerMemory: count(512, 122_880).default(2048),
  /**
   * Tasks that a worker runs at once.
   * @default 100
   */
  workerConcurrency: count(1, 10_000).default(100),
  /**
   * Workers that always run. Two, in two zones: the loss of one delays nothing.
   * @default 2
   */
  minWorkers: count(1, 1000).default(2),
  /**
   * Workers at most.
   * @default 20
   */
  maxWorkers: count(1, 5000).default(20),
  /**
   * The part of the workers beyond the first that runs on Spot: 0 (none) to 1 (all, the first too).
   * @default 0
   */
  spotShare: z.number().min(0).max(1).default(0),
  /**
   * Executions that one worker starts in a second: what the number of workers is computed with. Measure yours.
   * @default 100
   */
  executionsPerWorker: count(1, 10_000).default(100),

  /**
   * `public`: workers in public subnets with an address each and no way in; $3.65 a month and worker. `endpoints`:
   * isolated subnets and VPC endpoints; about $15 a month and endpoint in two zones (there are 5), and nothing outside
   * of AWS can be called. docs/capacity.md has the figures.
   * @default 'public'
   */
  network: z.literal(['public', 'endpoints']).default('public'),
  /**
   * An existing VPC instead of a new one; with `subnetIds` and `availabilityZones`.
   * @default - a new VPC with two zones
   */
  vpcId: z
    .string()
    .regex(/^vpc-[0-9a-f]+$/, { error: 'must be the id of a VPC, such as vpc-0a1b2c3d' })
    .optional(),
  /**
   * Of the existing VPC, where workers run: public ones with `network: public`, else with a way to AWS of their own.
   * @default - those of the new VPC
   */
  subnetIds: z
    .array(
      z
        .string()
        .regex(/^subnet-[0-9a-f]+$/, { error: 'must be the id of a subnet, such as subnet-0a1b2c3d' }),
    )
    .min(1)
    .optional(),
  /**
   * Of the existing VPC's subnets, in their order.
   * @default - those of the new VPC
   */
  availabilityZones: z.array(name).min(1).optional(),

  /**
   * Whose tokens count: an OIDC issuer; with `audience`.
   * @default - a Cognito user pool that the stack makes
   */
  issuer: z.url({ protocol: /^https$/ }).optional(),
  /**
   * What tokens must be meant for, with `issuer`.
   * @default - the client of the stack's user pool
   */
  audience: z.array(name).min(1).optional(),
  /**
   * From where browsers may call.
   * @default - from nowhere
   */
  corsOrigins: z
    .array(
      z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, {
        error: 'must be * or an origin such as https://console.example.com, without a path',
      }),
    )
    .optional(),
  /**
   * Requests a second that the API takes before it answers 429.
   * @default 1000
   */
  apiRequestsPerSecond: count(1, 100_000).default(1000),
  /**
   * Requests that it takes at once.
   * @default 2000
   */
  apiBurst: count(1, 100_000).default(2000),
  /**
   * The API's own name; with `certificateArn`.
   * @default - the name that API Gateway gives
   */
  domainName: z.hostname().optional(),
  /**
   * Of the domain, in the region of the stack.
   * @default - none
   */
  certificateArn: arn('acm').optional(),
  /**
   * The hosted zone that gets the domain's record; with `hostedZoneName`.
   * @default - no record: point the domain at the output `DomainTarget` yourself
   */
  hostedZoneId: name.optional(),
  /**
   * @default - none
   */
  hostedZoneName: z.hostname().optional(),

  /**
   * Who is told by the alarms. (AWS sends a mail that has to be confirmed.)
   * @default - nobody: subscribe to the output `AlarmTopic`
   */
  alarmEmail: z.email().optional(),
  /**
   * Where the alarms' descriptions point to: each one to its section.
   * @default - docs/runbook.md of the repository
   */
  runbookUrl: z.string().default('docs/runbook.md'),

  /**
   * Ended executions are kept this long.
   * @default 90
   */
  retentionDays: count(1, 3650).default(90),
  /**
   * Logs are kept this long.
   * @default 30
   */
  logRetentionDays: z.literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365]).default(30),
  /**
   * `onDemand`: per request, with the tables warmed for `warmWritesPerSecond`. `provisioned`: by the hour, between
   * `minCapacity` and `maxCapacity`, half the price under a steady load.
   * @default 'onDemand'
   */
  capacity: z.literal(['onDemand', 'provisioned']).default('onDemand'),
  /**
   * On demand: the writes a second that each table takes from the first second on (reads: three times that). Charged once,
   * can only be raised. DynamoDB starts every table at 4,000.
   * @default - as DynamoDB starts them
   */
  warmWritesPerSecond: count(4_000, 1_000_000).optional(),
  /**
   * Provisioned: the units that each table and index has at least, for reads and for writes.
   * @default 25
   */
  minCapacity: count(1, 40_000).default(25),
  /**
   * Provisioned: the units that each table and index has at most.
   * @default 4000
   */
  maxCapacity: count(1, 1_000_000).default(4000),
  /**
   * A key of yours instead of AWS's own, for tables and queues.
   * @default - keys that AWS owns
   */
  kmsKeyArn: arn('kms').optional(),
  /**
   * Which keys are hot, per table; costs as the requests do.
   * @default false
   */
  contributorInsights: z.boolean().default(false),
  /**
   * What happens to tables, and to what they say, when the stack is deleted: `retain` keeps them and protects them from
   * deletion.
   * @default 'retain'
   */
  removalPolicy: z.literal(['retain', 'destroy']).default('retain'),
});

export type SettingsInput = z.input<typeof settingsSchema>;
export type DeploymentSettings = Readonly<z.output<typeof settingsSchema>>;

/** With every default, or a SettingsError with a sentence for each mistake. */
export function readSettings(given: SettingsInput): DeploymentSettings {
  const { value, errors } = parse(settingsSchema, given);
  if (errors) throw new SettingsError(errors.map(({ path, message }) => `${path} ${message}`).join('\n'));
  const wrong = contradictions(value);
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return value;
}

/** What only shows when settings are looked at together. */
function contradictions(settings: DeploymentSettings): string[] {
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

const PREFIX = 'punctual:';

/** From `-c punctual:shards=64`, or `"punctual:shards": 64` in cdk.json. Lists have commas between. */
export function settingsFromContext(node: Node): SettingsInput {
  const context = Object.entries<unknown>(node.getAllContext()).filter(([key]) => key.startsWith(PREFIX));
  return Object.fromEntries(
    context.map(([key, value]) => {
      const setting = key.slice(PREFIX.length);
      return [setting, typeof value === 'string' ? fromText(setting, value) : value];
    }),
  ) as SettingsInput;
}

/** The command line knows texts only. What is no number stays a text, so that the schema can quote it. */
function fromText(setting: string, text: string): unknown {
  const schema: z.ZodType | undefined = settingsSchema.shape[setting as keyof typeof settingsSchema.shape];
  const takes = (value: unknown) => schema?.safeParse(value).success === true;
  if (takes(text)) return text;
  const list = text.split(',').map((item) => item.trim());
  if (takes(list)) return list;
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
