// The resources of a template by what the run has shown of them.
import type { Deployment } from './deployment.ts';
import type { Resource } from './emulator/template.ts';
import { table } from './report.ts';
import type { Site } from './site.ts';

type Kind = 'exercised' | 'deployed only' | 'not deployable';
const KINDS: readonly Kind[] = ['exercised', 'deployed only', 'not deployable'];

interface Exercised {
  readonly type: string;
  /** The logical ids. Absent if every resource of the type is exercised. */
  readonly id?: RegExp;
  /** The parts that use it. Absent if all do. */
  readonly parts?: readonly Part[];
}

export type Part = 'default' | 'full' | 'iam';

const RUNTIMES =
  /Scheduler|Query|IngestConsumer|WatcherFunction|NotifierFunction|CanaryFunction|WorkersTaskTask/;

/** What the scenarios use, so that they would fail without it. Routes are counted by the requests that were made. */
const EXERCISED: readonly Exercised[] = [
  { type: 'AWS::DynamoDB::Table' },
  // The other queues are dead-letter queues, which get no message here.
  { type: 'AWS::SQS::Queue', id: /Work\d|Ingest[0-9A-F]|Notify[0-9A-F]|^Received/ },
  { type: 'AWS::Lambda::Function', id: /^(?!.*Console)/ },
  { type: 'AWS::Lambda::Function', id: /Console/, parts: ['default'] },
  { type: 'AWS::Lambda::EventSourceMapping' },
  { type: 'AWS::Cognito::UserPool' },
  // The client of people. That of a service is used in one part.
  { type: 'AWS::Cognito::UserPoolClient', id: /Client[0-9A-F]{8}$/ },
  { type: 'AWS::Cognito::UserPoolClient', id: /UsersConsole/, parts: ['default'] },
  { type: 'AWS::Cognito::UserPoolClient', parts: ['full'] },
  { type: 'AWS::Cognito::UserPoolClient', id: /canary/, parts: ['iam'] },
  { type: 'AWS::Cognito::UserPoolResourceServer', parts: ['full', 'iam'] },
  { type: 'AWS::Cognito::UserPoolGroup', parts: ['default', 'iam'] },
  { type: 'AWS::ApiGatewayV2::Api' },
  { type: 'AWS::ApiGatewayV2::Integration' },
  { type: 'AWS::ApiGatewayV2::Authorizer' },
  { type: 'AWS::ApiGatewayV2::Stage' },
  { type: 'AWS::Events::Rule' },
  { type: 'AWS::Events::EventBus' },
  { type: 'AWS::SNS::Topic', id: /^Topic/ },
  { type: 'AWS::SNS::Subscription' },
  { type: 'AWS::ECS::TaskDefinition', id: /Workers/ },
  // For scripts.
  { type: 'AWS::ECS::TaskDefinition', id: /Scripts/, parts: ['full'] },
  { type: 'AWS::ECS::Cluster', id: /Workers/, parts: ['full'] },
  { type: 'AWS::S3::Bucket', parts: ['full'] },
  { type: 'AWS::IAM::Role', id: RUNTIMES, parts: ['iam'] },
  { type: 'AWS::IAM::Policy', id: RUNTIMES, parts: ['iam'] },
  { type: 'AWS::SQS::QueuePolicy', parts: ['iam'] },
];

export function printResources(part: Part, { stripped }: Deployment, site: Site): void {
  const isExercised = (id: string, { Type, Properties }: Resource): boolean => {
    if (Type === 'AWS::ApiGatewayV2::Route') return site.routes.has(Properties.RouteKey);
    return EXERCISED.some(
      (one) => one.type === Type && (one.id?.test(id) ?? true) && (one.parts?.includes(part) ?? true),
    );
  };
  const all = [
    ...Object.entries(stripped.template.Resources).map(([id, resource]) => ({
      type: resource.Type,
      kind: (isExercised(id, resource) ? 'exercised' : 'deployed only') as Kind,
    })),
    ...Object.values(stripped.removed).map(({ Type }) => ({ type: Type, kind: 'not deployable' as Kind })),
  ].filter(({ type }) => type !== 'AWS::CDK::Metadata');
  const types = [...new Set(all.map(({ type }) => type))].sort();
  const count = (type: string | undefined, kind: Kind): string =>
    String(all.filter((one) => one.kind === kind && (type === undefined || one.type === type)).length);
  console.log(`\nResources of the part "${part}":`);
  table(
    ['type', ...KINDS],
    [
      ...types.map((type) => [type, ...KINDS.map((kind) => count(type, kind))]),
      [`${all.length} resources`, ...KINDS.map((kind) => count(undefined, kind))],
    ],
  );
}
