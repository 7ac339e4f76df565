// The permissions of every role, by exact action and resource.
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { ROLES, type RoleName } from '../../lib/access/permissions.ts';
import { COMMON } from '../../lib/bundling/bundle.ts';
import { ENTRIES } from '../../lib/bundling/entries.ts';
import {
  cleanUp,
  DEPLOYMENT_NAMES,
  type DeploymentName,
  synthesizedOnce as of,
  type Synthesized,
} from './synth.ts';

afterAll(cleanUp);

describe('roles', { timeout: 120_000 }, () => {
  const roleOf = (wanted: RegExp, name: DeploymentName = 'default') => {
    const { resources } = of(name);
    const [, policy] =
      Object.entries(resources).find(([id, r]) => r.Type === 'AWS::IAM::Policy' && wanted.test(id)) ?? [];
    const statements: { Action: string | string[]; Resource: unknown }[] =
      policy?.Properties.PolicyDocument.Statement;
    return statements.map(({ Action, Resource }) => ({
      actions: [Action].flat(),
      resources: [Resource].flat().map((resource) => shortName(resources, resource)),
    }));
  };

  it('query may update counters of requests only: no job, and no limit of an owner', () => {
    const [, policy] =
      Object.entries(of('default').resources).find(
        ([id, { Type }]) => Type === 'AWS::IAM::Policy' && /QueryRole/.test(id),
      ) ?? [];
    const statements: { Action: string | string[]; Condition?: unknown }[] =
      policy?.Properties.PolicyDocument.Statement;
    const updates = statements.filter(({ Action }) => [Action].flat().includes('dynamodb:UpdateItem'));
    expect(updates.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [
        'dynamodb:UpdateItem',
        {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['quota#*'] },
          'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['jobId', 'part', 'used', 'expiresAt'] },
          StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'] },
        },
      ],
    ]);
  });

  it('query may only read, but for counters', () => {
    const actions = roleOf(/QueryRole/).flatMap((statement) => statement.actions);
    expect(new Set(actions)).toEqual(
      new Set([
        'logs:CreateLogStream',
        'logs:PutLogEvents',
        'logs:FilterLogEvents',
        'cloudwatch:GetMetricData',
        ...['BatchGetItem', 'GetItem', 'Query', 'Scan', 'UpdateItem'].map((a) => `dynamodb:${a}`),
      ]),
    );
    const others = ROLES.query.filter((operation) => !/^(read|list|has)/.test(operation));
    expect(others).toEqual(['takeFromQuota', 'addToQuota']);
  });

  it('each has exactly these permissions', () => {
    expect({
      scheduler: roleOf(/SchedulerRole/),
      query: roleOf(/QueryRole/),
      ingest: roleOf(/IngestConsumerRole/),
      watcher: roleOf(/WatcherFunctionRole/),
      notifier: roleOf(/NotifierFunctionRole/),
      worker: roleOf(/WorkersTaskTaskRole/),
    }).toMatchSnapshot();
  });

  it.each(Object.keys(ROLES) as RoleName[])(
    '%s has no operation that its program never calls',
    async (role) => {
      const called = await operationsCalledBy(role);
      expect(ROLES[role].filter((operation) => !called.has(operation))).toEqual([]);
    },
  );

  it.each([
    ['console', /ConsoleFunctionRole/, 'PunctualApiConsoleFunctionLogs'],
    ['documentation', /ApiDocsRole/, 'PunctualApiDocsLogs'],
  ])('the %s may write its log and nothing else', (_, role, log) => {
    expect(roleOf(role)).toEqual([
      { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [expect.stringContaining(log)] },
    ]);
  });

  it('scripts have no permissions, and workers may start only them', () => {
    const { resources } = of('closed');
    const policies = Object.values(resources).filter(({ Type }) => Type === 'AWS::IAM::Policy');
    expect(policies.filter((p) => JSON.stringify(p.Properties.Roles).includes('ScriptsNothing'))).toEqual([]);
    const nothing = Object.entries(resources).find(([id]) => /ScriptsNothing/.test(id))?.[1].Properties;
    expect(nothing.Policies ?? nothing.ManagedPolicyArns).toBeUndefined();
    const ofScripts = /^(ecs:(Run|Stop|Describe)|iam:|s3:|logs:)/;
    const rights = roleOf(/WorkersTaskTaskRole/, 'closed').filter(({ actions }) =>
      ofScripts.test(actions[0] ?? ''),
    );
    expect(rights).toMatchSnapshot();
  });

  it('only runtimes that trace may write traces', () => {
    const tracing = (name: DeploymentName) =>
      of(name)
        .ofType('AWS::IAM::Policy')
        .filter(({ Properties }) => JSON.stringify(Properties).includes('xray:'))
        .map(({ Properties }) => /Scheduler|Query|Ingest|Workers/.exec(Properties.PolicyName)?.[0])
        .sort();
    expect(tracing('closed')).toEqual(['Ingest', 'Query', 'Scheduler', 'Workers']);
    expect(tracing('default')).toEqual([]);
    const active = of('closed')
      .ofType('AWS::Lambda::Function')
      .filter(({ Properties: f }) => f.TracingConfig?.Mode === 'Active');
    expect(active).toHaveLength(3);
  });

  it('the notifier may write to the configured event bus', () => {
    expect(
      roleOf(/NotifierFunctionRole/, 'large').find(({ actions }) => actions[0] === 'events:PutEvents'),
    ).toMatchObject({ resources: [expect.stringContaining(':event-bus/jobs')] });
  });

  it.each(DEPLOYMENT_NAMES)(
    'of "%s": none has a wildcard action, or a wildcard resource that could be named',
    (name) => {
      for (const { Properties: policy } of of(name).ofType('AWS::IAM::Policy')) {
        for (const { Action, Resource, Effect } of policy.PolicyDocument.Statement) {
          expect(Effect).toBe('Allow');
          const actions: string[] = [Action].flat();
          for (const action of actions) expect(action).not.toContain('*');
          const anything = [Resource].flat().some((resource) => resource === '*');
          if (anything) expect(actions.filter((action) => !WITHOUT_RESOURCE.includes(action))).toEqual([]);
        }
      }
      expect(
        of(name)
          .ofType('AWS::IAM::Role')
          .flatMap((role) => role.Properties.ManagedPolicyArns ?? []),
      ).toEqual([]);
    },
  );
});

/** The operations that the code of a program calls on a store. The code of the store itself is left out. */
async function operationsCalledBy(role: RoleName): Promise<Set<string>> {
  const { outputFiles } = await build({
    ...COMMON,
    ...{ entryPoints: [ENTRIES[role]], outdir: 'none', write: false },
    // Each module begins with a comment that has its path.
    ...{ packages: 'external', minify: false, sourcemap: false },
  });
  const modules = outputFiles.flatMap(({ text }) => text.split(/^\/\/ (?=src\/)/m));
  return new Set(
    modules
      .filter((module) => !module.startsWith('src/store/'))
      .flatMap((module) => [...module.matchAll(/\bstore\d*\.(\w+)\(/g)].map(([, name = '']) => name)),
  );
}

/** IAM actions that cannot be limited to a resource. */
const WITHOUT_RESOURCE = [
  'cloudwatch:GetMetricData',
  'ecr:GetAuthorizationToken',
  'ecs:DescribeTaskDefinition',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
];

/** The short name of a policy's resource, such as `jobs/index/byUser` or `work-0`. */
function shortName(resources: Synthesized['resources'], resource: unknown): string {
  const text = JSON.stringify(resource);
  const id = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(text)?.[1] ?? '';
  const { TableName, QueueName } = resources[id]?.Properties ?? {};
  const name: string | undefined = TableName ?? QueueName;
  const index = /\/index\/\w+/.exec(text)?.[0] ?? '';
  return name ? `${name.replace('punctual-dev-', '')}${index}` : text.replaceAll('"', "'");
}
