// Where MiniStack differs from AWS. Each difference has a reason, which is the emulator's own error where it has one.
// `npm run test:deploy` checks the list of unknown types against the emulator, so that it can neither grow nor age unseen.

import { ACCOUNT, REGION } from '../names.ts';
import type { Resource, Template } from './template.ts';
export interface Unknown {
  readonly type: string;
  /** Only resources with this property are unknown. Absent if the whole type is. */
  readonly property?: string;
  /** The error of the emulator. */
  readonly error: string;
}

/** Resources that the emulator cannot create. They are taken out of the template. */
export const UNKNOWN: readonly Unknown[] = [
  {
    type: 'AWS::ApplicationAutoScaling::ScalableTarget',
    error:
      'Template format error: Unrecognized resource types: [AWS::ApplicationAutoScaling::ScalableTarget]',
  },
  {
    type: 'AWS::ApplicationAutoScaling::ScalingPolicy',
    error: 'Template format error: Unrecognized resource types: [AWS::ApplicationAutoScaling::ScalingPolicy]',
  },
  {
    type: 'AWS::EC2::FlowLog',
    error: 'Template format error: Unrecognized resource types: [AWS::EC2::FlowLog]',
  },
  {
    type: 'AWS::ECS::ClusterCapacityProviderAssociations',
    error:
      'Template format error: Unrecognized resource types: [AWS::ECS::ClusterCapacityProviderAssociations]',
  },
  {
    type: 'AWS::CloudWatch::Alarm',
    property: 'Metrics',
    error:
      'AWS::CloudWatch::Alarm Properties.Metrics (metric math) is not supported; use MetricName and Namespace.',
  },
];

/** The canary calls public addresses, which do not resolve here. The emulator has the same services at its own address. */
export function adaptCanary(template: Template, endpoint: string): Template {
  const api = Object.entries(template.Resources).find(
    ([, { Type }]) => Type === 'AWS::ApiGatewayV2::Api',
  )?.[0];
  const addresses = {
    PUNCTUAL_CANARY_URL: { 'Fn::Join': ['', [`${endpoint}/_aws/execute-api/`, { Ref: api }, '/$default']] },
    PUNCTUAL_CANARY_TOKEN_URL: `${endpoint}/oauth2/token`,
    PUNCTUAL_CANARY_COGNITO_URL: `${endpoint}/`,
  };
  return {
    ...template,
    Resources: Object.fromEntries(
      Object.entries(template.Resources).map(([id, resource]) => {
        const variables = resource.Properties?.Environment?.Variables;
        if (!variables || !('PUNCTUAL_CANARY_URL' in variables)) return [id, resource];
        const Environment = { Variables: { ...variables, ...addresses } };
        return [id, { ...resource, Properties: { ...resource.Properties, Environment } }];
      }),
    ),
  };
}

export interface Difference {
  readonly what: string;
  readonly reason: string;
  adapt(resource: Resource): Resource;
}

/** AWS authorizes a batch as its single action. The emulator asks for an action of its own. */
const BATCHES = ['sqs:SendMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'];
/** Changes of the template for an emulator that enforces IAM. No policy gets a right that it does not have on AWS. */
export const IAM_DIFFERENCES: readonly Difference[] = [
  {
    what: 'policies that allow sqs:SendMessage, DeleteMessage or ChangeMessageVisibility also allow its batch',
    reason:
      'is not authorized to perform: sqs:SendMessageBatch because no identity-based policy allows the sqs:SendMessageBatch action',
    adapt: (resource) =>
      withActions(resource, (action) => (BATCHES.includes(action) ? [action, `${action}Batch`] : [action])),
  },
  {
    what: 'the policy that allows logs:FilterLogEvents also names the log group without ":*"',
    reason:
      'AWS authorizes the call as log-group:<name>:log-stream:, which the ARN of a log group matches. The emulator asks for log-group:<name>',
    adapt: withBareLogGroup,
  },
  {
    what: 'group commit is off',
    reason:
      'AWS authorizes the statements of dynamodb:BatchExecuteStatement as PartiQLInsert and PartiQLUpdate of a table. The emulator asks for dynamodb:BatchExecuteStatement on *',
    adapt: withoutGroupCommit,
  },
  {
    what: 'roles of functions and tasks also trust the account',
    reason: 'the emulator starts no tasks, so this run itself takes the role of a task with sts:AssumeRole',
    adapt: trustAccount,
  },
];

export const adaptToIam = (template: Template): Template => ({
  ...template,
  Resources: Object.fromEntries(
    Object.entries(template.Resources).map(([id, resource]) => [
      id,
      IAM_DIFFERENCES.reduce((changed, { adapt }) => adapt(changed), resource),
    ]),
  ),
});

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

function withStatements(resource: Resource, change: (statement: Statement) => Statement): Resource {
  if (resource.Type !== 'AWS::IAM::Policy') return resource;
  const { PolicyDocument: document, ...properties } = resource.Properties;
  const Statement = document.Statement.map(change);
  return { ...resource, Properties: { ...properties, PolicyDocument: { ...document, Statement } } };
}

const withActions = (resource: Resource, more: (action: string) => string[]): Resource =>
  withStatements(resource, (statement) => ({
    ...statement,
    Action: [...new Set([statement.Action].flat().flatMap(more))],
  }));

function withBareLogGroup(resource: Resource): Resource {
  return withStatements(resource, (statement) => {
    const { 'Fn::GetAtt': [group] = [] } = statement.Resource as { 'Fn::GetAtt'?: string[] };
    if (![statement.Action].flat().includes('logs:FilterLogEvents') || group === undefined) return statement;
    const bare = { 'Fn::Sub': `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:\${${group}}` };
    return { ...statement, Resource: [statement.Resource, bare] };
  });
}

function withoutGroupCommit(resource: Resource): Resource {
  const name = 'PUNCTUAL_GROUP_COMMIT';
  const { Properties: properties = {} } = resource;
  const variables = properties.Environment?.Variables;
  if (resource.Type === 'AWS::Lambda::Function' && variables && name in variables) {
    return {
      ...resource,
      Properties: { ...properties, Environment: { Variables: { ...variables, [name]: 'off' } } },
    };
  }
  if (resource.Type !== 'AWS::ECS::TaskDefinition') return resource;
  const ContainerDefinitions = properties.ContainerDefinitions.map(
    ({ Environment = [], ...container }: { Environment?: { Name: string; Value: unknown }[] }) => ({
      ...container,
      Environment: Environment.map((one) => (one.Name === name ? { ...one, Value: 'off' } : one)),
    }),
  );
  return { ...resource, Properties: { ...properties, ContainerDefinitions } };
}

function trustAccount(resource: Resource): Resource {
  const { AssumeRolePolicyDocument: document, ...properties } = resource.Properties ?? {};
  if (resource.Type !== 'AWS::IAM::Role') return resource;
  const account = {
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` },
  };
  const trust = { ...document, Statement: [...document.Statement, account] };
  return { ...resource, Properties: { ...properties, AssumeRolePolicyDocument: trust } };
}
