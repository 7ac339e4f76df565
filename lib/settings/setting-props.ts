// The settings of a deployment as props of the construct, each with its default. Their ranges are in the other files of this folder. The
// compiler compares both (settings.ts). This file needs no zod, so that editors show plain types.

/** The props of the construct that are settings. The CDK context has the same names: `-c punctual:<name>=…`. */
export interface SettingProps {
  /**
   * The name of the deployment. It is part of every resource name, so that one account can have several deployments.
   * @default 'dev'
   */
  readonly stage?: string;
  /**
   * The number of shards of the timetable. It may be raised on a running system (docs/capacity.md), never lowered.
   * @default 16
   */
  readonly shards?: number;
  /**
   * The number of concurrent watchers. Each one has its own range of shards.
   * @default 1
   */
  readonly watchers?: number;
  /**
   * The reserved concurrency of the watcher's function. The default is enough for a pass that overlaps the next one. 0
   * reserves none, for accounts with a small quota of concurrent executions (new accounts have 10).
   * @default twice the watchers
   */
  readonly watcherReservedConcurrency?: number;
  /**
   * The number of work queues. One queue has at most about 120,000 messages in flight. The maximum is 24, because their
   * URLs must fit into the 4 KB environment of a Lambda.
   * @default 1
   */
  readonly queues?: number;
  /**
   * The look-ahead in minutes. Executions that are due within it are in SQS.
   * @default 5
   */
  readonly lookAheadMinutes?: number;
  /**
   * The CPU units of a worker. 1024 units are one vCPU.
   * @default 1024
   */
  readonly workerCpu?: 256 | 512 | 1024 | 2048 | 4096 | 8192 | 16384;
  /**
   * The memory of a worker in MiB. Fargate has a range for each `workerCpu`.
   * @default 2048
   */
  readonly workerMemory?: number;
  /**
   * The maximum number of tasks that a worker runs concurrently.
   * @default 100
   */
  readonly workerConcurrency?: number;
  /**
   * The largest share of a worker's places that one owner alone may use, from 0.1 to 1. With 1, one owner may use all of them.
   * @default 0.8
   */
  readonly ownerShare?: number;
  /**
   * The minimum number of workers. With two, in two zones, the loss of one delays nothing.
   * @default 2
   */
  readonly minWorkers?: number;
  /**
   * The maximum number of workers.
   * @default 20
   */
  readonly maxWorkers?: number;
  /**
   * The maximum time that a worker with long jobs stays protected from scale-in and deployments, in minutes. After it, a
   * deployment may stop the worker, and another worker runs its jobs again. The maximum is 165, because CloudFormation
   * times out a service update after about 3 hours.
   * @default 120
   */
  readonly maxProtectionMinutes?: number;
  /**
   * The share of workers on Spot capacity, from 0 to 1. Below 1, the first worker runs on demand.
   * @default 0
   */
  readonly spotShare?: number;
  /**
   * The executions that one worker starts per second. Scaling computes the number of workers with it, so measure yours.
   * @default 100
   */
  readonly executionsPerWorker?: number;
  /**
   * `public`: workers run in public subnets with a public address each ($3.65 per month) and accept no connections.
   * `endpoints`: workers run in isolated subnets with VPC endpoints, and can call AWS services only. An endpoint costs
   * about $15 per month in two zones. There are 4, and one more each with `tracing` and `scripts` (docs/capacity.md).
   * @default 'public'
   */
  readonly network?: 'public' | 'endpoints';
  /**
   * An existing VPC. Requires `subnetIds` and `availabilityZones`.
   * @default - a new VPC with two zones
   */
  readonly vpcId?: string;
  /**
   * The subnets of the workers in the existing VPC. They must be public with `network: public`, else have their own route
   * to AWS services.
   * @default - the subnets of the new VPC
   */
  readonly subnetIds?: string[];
  /**
   * The availability zones of `subnetIds`, in the same order.
   * @default - the zones of the new VPC
   */
  readonly availabilityZones?: string[];
  /**
   * How callers are authenticated. `jwt`: by tokens of an OIDC issuer. `iam`: by signatures of AWS credentials (SigV4) and the
   * permission `execute-api:Invoke`. The user is the caller's role, or a user of IAM (docs/deploy.md#signed-requests).
   * @default 'jwt'
   */
  readonly authorization?: 'jwt' | 'iam';
  /**
   * The OIDC issuer of accepted tokens. Requires `audience`.
   * @default - a Cognito user pool that the stack creates
   */
  readonly issuer?: string;
  /**
   * The accepted audiences of tokens, at most 50. Requires `issuer`.
   * @default - the client of the stack's user pool
   */
  readonly audience?: string[];
  /**
   * The group whose members are operators. It is read from the token's claim `groups` or `cognito:groups`.
   * @default 'punctual-operators'
   */
  readonly operatorsGroup?: string;
  /**
   * With `authorization: iam`, the ARNs of the roles whose sessions are operators, at most 10. Without any, nobody is an operator.
   * @default - none
   */
  readonly operatorRoles?: string[];
  /**
   * The names of services that call the API, such as `billing`, at most 47. Each gets a client of the stack's user pool, with a
   * secret, and is a user of its own. Cognito charges $6 per client and month, and $2.25 per 1,000 tokens.
   * @default - none
   */
  readonly serviceClients?: string[];
  /**
   * The web console at `/console/` (docs/deploy.md#console). It adds a function without permissions, and in the stack's user pool a
   * client and a login page.
   * @default - on, if users can sign in: not with `authorization: iam`, and with `issuer` only if `consoleClientId` is given
   */
  readonly console?: boolean;
  /**
   * With `issuer`, the client id of the console there: a public client for authorization code and PKCE, which may redirect to
   * `<Url>/console/`. One of `audience` must be in its access tokens.
   * @default - a client of the stack's user pool
   */
  readonly consoleClientId?: string;
  /**
   * The page `/docs`, which shows the API to everybody. `/openapi.json` is there without it.
   * @default true
   */
  readonly docs?: boolean;
  /**
   * The allowed CORS origins.
   * @default - none: CORS is off
   */
  readonly corsOrigins?: string[];
  /**
   * The maximum number of requests per second, of all users. Requests above it get the status 429. Routes without a token have 20
   * per second each, and the files of the console 50.
   * @default 1000
   */
  readonly apiRequestsPerSecond?: number;
  /**
   * The maximum burst of requests.
   * @default 2000
   */
  readonly apiBurst?: number;
  /**
   * The reserved concurrency of each of the two functions of the API, so that neither can take all of the account. The
   * functions of the documentation and of the console have 10 and 50. 0 reserves none for all four, for accounts with a small
   * quota of concurrent executions (new accounts have 10).
   * @default 300
   */
  readonly apiReservedConcurrency?: number;
  /**
   * The maximum number of executions of one owner that run at the same time. Each worker has an equal part of it.
   * @default 1000
   */
  readonly quotaRunningExecutions?: number;
  /**
   * The maximum number of executions of one owner that people start per minute: run, retry, redrive, backfill.
   * @default 3000
   */
  readonly quotaStartsPerMinute?: number;
  /**
   * The maximum number of jobs that one owner creates per minute.
   * @default 3000
   */
  readonly quotaCreatesPerMinute?: number;
  /**
   * The maximum number of active and paused jobs of one owner.
   * @default 10000
   */
  readonly quotaActiveJobs?: number;

  /**
   * The maximum number of bytes that the jobs of one owner occupy, also ended ones, with all versions of their params and the
   * records of changes.
   *
   * @default 1000000000
   */
  readonly quotaStoredBytes?: number;
  /**
   * The shortest interval between two occurrences of a schedule, in seconds.
   * @default 5
   */
  readonly quotaShortestIntervalSeconds?: number;
  /**
   * The longest `timeoutSeconds` of a job. The default is that of `maxProtectionMinutes`: a deployment does not stop a worker
   * with long jobs before.
   * @default 7200
   */
  readonly quotaLongestTimeoutSeconds?: number;
  /**
   * The maximum number of requests of one owner per second, over all containers, with a burst of two seconds. A request counts
   * again for every half second that it takes. `apiRequestsPerSecond` limits all owners together.
   * @default 50
   */
  readonly quotaRequestsPerSecond?: number;
  /**
   * The custom domain of the API. Requires `certificateArn`.
   * @default - the domain that API Gateway generates
   */
  readonly domainName?: string;
  /**
   * The ACM certificate of the domain, in the region of the stack.
   * @default - none
   */
  readonly certificateArn?: string;
  /**
   * The Route 53 hosted zone that gets the domain's DNS record. Requires `hostedZoneName`.
   * @default - no record is created; point the domain at the output `DomainTarget`
   */
  readonly hostedZoneId?: string;
  /**
   * The name of the hosted zone.
   * @default - none
   */
  readonly hostedZoneName?: string;
  /**
   * The retention of ended executions, in days.
   * @default 90
   */
  readonly retentionDays?: number;
  /**
   * The billing of tables. `onDemand` is billed per request, with tables warmed for `warmWritesPerSecond`. `provisioned` is
   * billed per hour between `minCapacity` and `maxCapacity`, and costs half as much under a steady load.
   * @default 'onDemand'
   */
  readonly capacity?: 'onDemand' | 'provisioned';
  /**
   * With `onDemand`, the writes per second that each table and index is warmed for. Reads are warmed for three times as
   * many, up to `tableQuotaPerSecond`. The charge is one-time, and the value can only be raised.
   * @default - 4,000, DynamoDB's value for a new table
   */
  readonly warmWritesPerSecond?: number;
  /**
   * The lower of the account's quotas "table-level read throughput limit" and "table-level write throughput limit".
   * DynamoDB rejects a table that is warmed or provisioned for more. Raise it after AWS has raised the quotas.
   * @default 40000
   */
  readonly tableQuotaPerSecond?: number;
  /**
   * With `provisioned`, the minimum number of read and of write units of each table and index.
   * @default 25
   */
  readonly minCapacity?: number;
  /**
   * With `provisioned`, the maximum number of read and of write units of each table and index.
   * @default 4000
   */
  readonly maxCapacity?: number;
  /**
   * The number of index partitions per user that lists read. It may be raised on a running system, never lowered
   * (docs/capacity.md#a-hot-tenant). A page of a list reads each of them.
   * @default 4
   */
  readonly indexPartitions?: number;
  /**
   * The number of index partitions per user that items are written to. Raise it in a second deployment, after
   * `indexPartitions`. One tenant can have about 500 executions per second for each of them.
   * @default 4
   */
  readonly indexPartitionsWritten?: number;
  /**
   * Group commit: single-item reads and writes that arrive together are sent as one request. It saves CPU and uses the
   * same units. Turn it off if DynamoDB rejects such requests.
   * @default true
   */
  readonly groupCommit?: boolean;
  /**
   * A customer managed KMS key for tables, queues, log groups and the alarm topic.
   * @default - keys that AWS owns
   */
  readonly kmsKeyArn?: string;
  /**
   * DynamoDB Contributor Insights, which shows the hottest keys of each table. It is billed per request.
   * @default false
   */
  readonly contributorInsights?: boolean;
  /**
   * The removal policy of tables, user pool, log groups and the scripts' bucket. `retain` keeps them when the stack is
   * deleted, and protects tables and user pool from deletion.
   * @default 'retain'
   */
  readonly removalPolicy?: 'retain' | 'destroy';
  /**
   * The folder of custom tasks (docs/custom-tasks.md), relative to the working directory. The synthesis bundles it with esbuild.
   * @default - none; in a checkout, its folder `tasks`
   */
  readonly tasks?: string;
  /**
   * The task `script`, which runs programs of users. Each run has its own container, whose role has no permissions. The
   * setting adds a bucket, an image and a task definition. Costs arise only when scripts run.
   * @default false
   */
  readonly scripts?: boolean;
  /**
   * The allowed recipients of the task `email` and of notifications: addresses, `*@example.com`, `*@*.example.com`.
   * @default - none: e-mail is off
   */
  readonly emailRecipients?: string[];
  /**
   * The name of an EventBridge bus of this account. Every status change of an execution is published to it.
   * @default - none
   */
  readonly eventBus?: string;
  /**
   * The e-mail address that gets alarms. AWS sends a confirmation mail to it first.
   * @default - none; subscribe to the output `AlarmTopic`
   */
  readonly alarmEmail?: string;
  /**
   * The canary: a function that creates a job through the public URL every minute, checks that its job before has run, and raises
   * alarms on lateness or absence. It costs about $9 per month with tokens, and $2 with signed requests. Requires the stack's user
   * pool, or `authorization: iam`.
   * @default false
   */
  readonly canary?: boolean;
  /**
   * The URL of the runbook. The description of every alarm links to its section.
   * @default - docs/runbook.md of the repository
   */
  readonly runbookUrl?: string;
  /**
   * The retention of logs, in days.
   * @default 30
   */
  readonly logRetentionDays?: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365;
  /**
   * X-Ray traces from the API to the worker, at $5 per million traces. Lambda samples one API request per second and 5 %
   * of the others, which cannot be changed. Executions are sampled by `traceSampling`.
   * @default false
   */
  readonly tracing?: boolean;
  /**
   * With `tracing`, the share of executions that start a trace, from 0 to 1. A worker starts at most ten traces per second.
   * An execution of a traced API request continues the trace of the request.
   * @default 0.01
   */
  readonly traceSampling?: number;
}

/** The settings that stay undefined unless they are given. */
type WithoutDefault =
  | 'watcherReservedConcurrency'
  | 'vpcId'
  | 'subnetIds'
  | 'availabilityZones'
  | 'issuer'
  | 'audience'
  | 'operatorRoles'
  | 'serviceClients'
  | 'console'
  | 'consoleClientId'
  | 'corsOrigins'
  | 'domainName'
  | 'certificateArn'
  | 'hostedZoneId'
  | 'hostedZoneName'
  | 'warmWritesPerSecond'
  | 'kmsKeyArn'
  | 'tasks'
  | 'emailRecipients'
  | 'eventBus'
  | 'alarmEmail';

/** The settings with all defaults. */
export type DeploymentSettings = Required<Omit<SettingProps, WithoutDefault>> &
  Pick<SettingProps, WithoutDefault>;
