// The CDK app that `npm run test:deploy` deploys to the emulator. `DEPLOY_STACK` chooses one of three stacks:
// - `default`: the stack of bin/punctual-app.ts with the default settings.
// - `restored`: the same for another stage, which takes over restored tables.
// - `full`: a stack of one's own, as docs/deploy.md shows it, with scripts, tracing, a KMS key, an event bus, a canary,
//   a client for a service, and a target for each task that calls AWS.
// Images need no build, because the emulator starts no containers.
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Punctual } from '../../lib/punctual.ts';
import { PunctualStack } from '../../lib/punctual-stack.ts';
import { BUS, SERVICE, TARGETS } from './names.ts';

const image = ContainerImage.fromRegistry('none');
const app = new App();
const stage = process.env.DEPLOY_STACK ?? 'default';
const common = {
  stage,
  removalPolicy: 'destroy',
  workerImage: image,
  taskEnvironment: { PUNCTUAL_ALLOW_HTTP: '127.0.0.1', PUNCTUAL_NOTIFY_WINDOW_SECONDS: '0' },
} as const;

if (stage !== 'full') {
  new PunctualStack(app, 'Punctual', { stackName: `punctual-${stage}`, punctual: common });
} else {
  const stack = new Stack(app, 'Own', { stackName: 'punctual-full' });
  const bus = new EventBus(stack, 'Bus', { eventBusName: BUS });
  const received = (name: keyof typeof TARGETS) =>
    new Queue(stack, `Received${name}`, { queueName: TARGETS[name], removalPolicy: RemovalPolicy.DESTROY });
  const sqs = received('sqs');
  const topic = new Topic(stack, 'Topic', { topicName: TARGETS.sns });
  topic.addSubscription(new SqsSubscription(received('sns')));
  const lambda = new Lambda(stack, 'Lambda', {
    functionName: TARGETS.lambda,
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(
      'exports.handler = async (event, context) => ({ event, custom: context.clientContext?.custom });',
    ),
  });
  new Rule(stack, 'OnEvent', {
    eventBus: bus,
    eventPattern: { source: ['deploy.test'] },
    targets: [new SqsQueue(received('eventbridge'))],
  });
  new Rule(stack, 'OnStatus', {
    eventBus: bus,
    eventPattern: { source: ['punctual'] },
    targets: [new SqsQueue(received('events'))],
  });
  const punctual = new Punctual(stack, 'Punctual', {
    ...common,
    // The shortest look-ahead, so that an outage of the watcher shows within minutes.
    lookAheadMinutes: 1,
    scripts: true,
    scriptImage: image,
    tracing: true,
    traceSampling: 1,
    eventBus: BUS,
    serviceClients: [SERVICE],
    canary: true,
    encryptionKey: new Key(stack, 'Key', { removalPolicy: RemovalPolicy.DESTROY }),
    taskEnvironment: {
      ...common.taskEnvironment,
      PUNCTUAL_ALLOW_SQS: sqs.queueUrl,
      PUNCTUAL_ALLOW_SNS: topic.topicArn,
      PUNCTUAL_ALLOW_LAMBDA: TARGETS.lambda,
      PUNCTUAL_ALLOW_EVENTBRIDGE: BUS,
    },
  });
  sqs.grantSendMessages(punctual.workers);
  topic.grantPublish(punctual.workers);
  lambda.grantInvoke(punctual.workers);
  bus.grantPutEventsTo(punctual.workers);
}
app.synth();
