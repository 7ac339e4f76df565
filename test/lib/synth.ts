// Five deployments, each synthesized once: offline, without Docker and without bundling, which bundles.test.ts does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { Key } from 'aws-cdk-lib/aws-kms';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Punctual } from '../../lib/punctual.ts';
import { PunctualStack } from '../../lib/punctual-stack.ts';
import { settingsFromContext } from '../../lib/settings/context.ts';

const cdkJson = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: Record<string, unknown> };

/** The settings as texts, as on the command line: `-c punctual:<name>=<text>`. */
export const DEPLOYMENTS = {
  default: {},
  large: {
    stage: 'prod',
    shards: '256',
    watchers: '8',
    queues: '10',
    spotShare: '0.7',
    workerCpu: '4096',
    workerMemory: '8192',
    minWorkers: '10',
    maxWorkers: '200',
    capacity: 'provisioned',
    minCapacity: '1000',
    maxCapacity: '40000',
    contributorInsights: 'true',
    kmsKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    alarmEmail: 'on-call@example.com',
    runbookUrl: 'https://wiki.example.com/punctual',
    eventBus: 'jobs',
  },
  closed: {
    stage: 'closed',
    network: 'endpoints',
    issuer: 'https://login.example.com/',
    audience: 'punctual,console',
    consoleClientId: 'console',
    domainName: 'jobs.example.com',
    certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1234abcd',
    hostedZoneId: 'Z0123456789',
    hostedZoneName: 'example.com',
    corsOrigins: 'https://console.example.com',
    warmWritesPerSecond: '30000',
    retentionDays: '365',
    scripts: 'true',
    tracing: 'true',
    traceSampling: '0.05',
  },
  small: {
    stage: 'try',
    vpcId: 'vpc-0a1b2c3d',
    subnetIds: 'subnet-0a1b2c3d,subnet-1a1b2c3d',
    availabilityZones: 'us-east-1a,us-east-1b',
    removalPolicy: 'destroy',
    watcherReservedConcurrency: '0',
    apiReservedConcurrency: '0',
    docs: 'false',
    workerCpu: '256',
    workerMemory: '512',
    minWorkers: '1',
    maxWorkers: '2',
    spotShare: '1',
    logRetentionDays: '7',
    serviceClients: 'billing,reports',
  },
  signed: {
    stage: 'signed',
    authorization: 'iam',
    operatorRoles: 'arn:aws:iam::123456789012:role/on-call,arn:aws:iam::123456789012:role/team/admin',
  },
} as const satisfies Record<string, Record<string, string>>;
export type DeploymentName = keyof typeof DEPLOYMENTS;
export const DEPLOYMENT_NAMES = Object.keys(DEPLOYMENTS) as DeploymentName[];

// biome-ignore lint/suspicious/noExplicitAny: the properties of a resource depend on its type
export type Properties = any;
export interface Resource {
  readonly Type: string;
  readonly Properties: Properties;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface Synthesized {
  readonly resources: Readonly<Record<string, Resource>>;
  ofType(type: string): Resource[];
  /** The folder of CDK's assets. */
  readonly folder: string;
  readonly outputs: Readonly<Record<string, { Value: unknown }>>;
  readonly template: Template;
}

const folders: string[] = [];
export const cleanUp = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/** Throws if cdk-nag has a finding without a reason. */
export const synthesize = (name: DeploymentName): Synthesized => synthesizeWith(DEPLOYMENTS[name]);

/** The settings are texts, as on the command line. */
export function synthesizeWith(settings: Readonly<Record<string, string>>): Synthesized {
  const given = Object.entries(settings).map(([key, value]) => [`punctual:${key}`, value]);
  const folder = mkdtempSync(join(tmpdir(), 'punctual-synth-'));
  folders.push(folder);
  const app = new App({
    outdir: folder,
    analyticsReporting: false,
    context: { ...cdkJson.context, ...Object.fromEntries(given), 'aws:cdk:bundling-stacks': [] },
  });
  const stack = new PunctualStack(app, 'Punctual', { punctual: settingsFromContext(app.node) });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
  const template = Template.fromStack(stack);
  const { Resources: resources, Outputs: outputs } = template.toJSON() as {
    Resources: Record<string, Resource>;
    Outputs: Record<string, { Value: unknown }>;
  };
  return {
    resources,
    outputs,
    template,
    folder,
    ofType: (type) => Object.values(resources).filter(({ Type }) => Type === type),
  };
}

/** A stack that creates its own key, so that the key's policy is part of the template. */
export function withOwnKey(): Pick<Synthesized, 'resources'> {
  const app = new App({ context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] } });
  const stack = new Stack(app, 'OwnKey');
  new Punctual(stack, 'Jobs', {
    encryptionKey: new Key(stack, 'Key'),
    workerImage: ContainerImage.fromRegistry('worker'),
  });
  return { resources: Template.fromStack(stack).toJSON().Resources as Record<string, Resource> };
}

/** The functions that use the tables and queues: all but those that serve files. */
export const schedulerFunctions = (functions: readonly Resource[]): Resource[] =>
  functions.filter(({ Properties: f }) => 'PUNCTUAL_PREFIX' in f.Environment.Variables);

const synthesized = new Map<DeploymentName, Synthesized>();
export function synthesizedOnce(name: DeploymentName): Synthesized {
  const found = synthesized.get(name) ?? synthesize(name);
  synthesized.set(name, found);
  return found;
}
