// The tasks that call one AWS service each. Lambda, EventBridge and SES by their SDK calls, with the exact input; SQS, SNS
// and S3 on the embedded engine.
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningFauxqs, startFauxqs } from '../../src/local/fauxqs.ts';
import { emailParams, emailTask } from '../../src/tasks/aws/email-task.ts';
import { eventbridgeParams, eventbridgeTask } from '../../src/tasks/aws/eventbridge-task.ts';
import { lambdaParams, lambdaTask } from '../../src/tasks/aws/lambda-task.ts';
import { classifyAwsError } from '../../src/tasks/aws/sdk-errors.ts';
import { snsParams, snsTask } from '../../src/tasks/aws/sns-task.ts';
import { sqsParams, sqsTask } from '../../src/tasks/aws/sqs-task.ts';
import { createTargets } from '../../src/tasks/aws/targets.ts';
import { lazyAwsClients } from '../../src/tasks/aws/task-clients.ts';
import { withSecrets } from '../../src/tasks/secrets/secrets.ts';
import { DoNotRetry } from '../../src/tasks/task.ts';
import { taskContext } from '../support/task-context.ts';
import { awsError, local, testServices } from '../support/task-services.ts';

const executionId = 'job_aaaaaaaaaaaaaaaaaaaa.1796119200000';

describe('what a failed call means', () => {
  it.each([
    ['ThrottlingException', 400, true],
    ['TooManyRequestsException', 429, true],
    ['ServiceException', 500, true],
    ['ServiceUnavailable', 503, true],
    ['ResourceConflictException', 409, true],
    ['LimitExceededException', 400, true],
    ['ExpiredTokenException', 403, true],
    ['ValidationException', 400, false],
    ['ResourceNotFoundException', 404, false],
    ['AccessDeniedException', 403, false],
    ['AccessDenied', 403, false],
    ['MessageRejected', 400, false],
  ])('%s (%i) is tried again: %s', (name, status, again) => {
    const error = classifyAwsError('do it', awsError(name, status));
    expect(error instanceof DoNotRetry).toBe(!again);
    expect(error.message).toContain(name);
  });

  it('no answer at all is tried again', () => {
    expect(classifyAwsError('do it', new Error('socket hang up'))).toMatchObject({
      name: 'AwsFailure',
      message: 'could not do it: Error: socket hang up',
    });
  });

  it('a refusal names what was refused, and neither role nor account', () => {
    const error = awsError(
      'AccessDeniedException',
      403,
      'User: arn:aws:sts::123456789012:assumed-role/x is not',
    );
    expect(classifyAwsError('invoke the function "f"', error).message).toBe(
      'the worker is not allowed to invoke the function "f" (AccessDeniedException)',
    );
  });
});

describe('which targets whose jobs may use', () => {
  const targets = createTargets({
    allow: { lambda: ['jobs-*', 'only-{user}-*'], sqs: ['*'] },
    never: { sqs: ['*/punctual-*'] },
  });
  it.each([
    ['lambda', 'jobs-report', 'alice', true],
    ['lambda', 'billing', 'alice', false],
    ['lambda', 'not-jobs-report', 'alice', false],
    ['lambda', 'only-alice-x', 'alice', true],
    ['lambda', 'only-bob-x', 'alice', false],
    ['lambda', 'only-alice-x', '*', false],
    ['lambda', 'only-alice-x', '.*', false],
    ['sns', 'arn:aws:sns:eu-west-1:123456789012:t', 'alice', false],
    ['sqs', 'https://sqs.eu-west-1.amazonaws.com/1/orders', 'alice', true],
    ['sqs', 'https://sqs.eu-west-1.amazonaws.com/1/punctual-work-0', 'alice', false],
  ] as const)('%s %s by %s: %s', (kind, target, user, allowed) => {
    const check = () => targets.check(kind, target, user);
    if (allowed) expect(check).not.toThrow();
    else expect(check).toThrow(`"${target}" may not be used by the task "${kind}"`);
  });
});

describe('lambda', () => {
  const mock = mockClient(LambdaClient);
  const task = lambdaTask(testServices({ lambda: new LambdaClient(local) }));
  const run = (params: object) => task.run(taskContext(lambdaParams.parse(params)));
  beforeEach(() => void mock.reset());
  const payload = (value: unknown) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    return Object.assign(bytes, { transformToString: () => JSON.stringify(value) }) as never;
  };

  it('invokes and returns what the function returns', async () => {
    mock.on(InvokeCommand).resolves({ StatusCode: 200, ExecutedVersion: '7', Payload: payload({ rows: 3 }) });
    await expect(run({ function: 'report:live', payload: { day: 1 } })).resolves.toEqual({
      status: 200,
      version: '7',
      result: { rows: 3 },
    });
    const [call] = mock.commandCalls(InvokeCommand);
    const { ClientContext = '', ...input } = call?.args[0].input ?? {};
    expect(input).toEqual({
      FunctionName: 'report:live',
      InvocationType: 'RequestResponse',
      Payload: new TextEncoder().encode('{"day":1}'),
    });
    expect(JSON.parse(Buffer.from(ClientContext, 'base64').toString())).toEqual({
      custom: {
        executionId,
        attempt: 1,
        idempotencyKey: executionId,
        dueAt: '2026-12-01T10:00:00.000Z',
        fence: 7,
      },
    });
  });

  it('does not wait when told so', async () => {
    mock.on(InvokeCommand).resolves({ StatusCode: 202 });
    const name = 'arn:aws:lambda:eu-west-1:123456789012:function:report';
    await expect(run({ function: name, mode: 'async' })).resolves.toEqual({ status: 202 });
    expect(mock.commandCalls(InvokeCommand)[0]?.args[0].input).toEqual({
      FunctionName: name,
      InvocationType: 'Event',
      ClientContext: undefined,
      Payload: new TextEncoder().encode('{}'),
    });
  });

  it('fails with the function’s own error', async () => {
    const failed = { errorType: 'TypeError', errorMessage: 'x is not a function', trace: [] };
    mock
      .on(InvokeCommand)
      .resolves({ StatusCode: 200, FunctionError: 'Unhandled', Payload: payload(failed) });
    await expect(run({ function: 'report' })).rejects.toMatchObject({
      name: 'FunctionFailed',
      message: 'the function "report" failed: TypeError: x is not a function',
    });
  });

  it('does not try again what is not there', async () => {
    mock.on(InvokeCommand).rejects(awsError('ResourceNotFoundException', 404, 'Function not found'));
    await expect(run({ function: 'nope' })).rejects.toBeInstanceOf(DoNotRetry);
    mock.on(InvokeCommand).rejects(awsError('TooManyRequestsException', 429, 'Rate Exceeded.'));
    await expect(run({ function: 'report' })).rejects.toMatchObject({ name: 'AwsFailure' });
  });

  it.each(['', 'a b', 'arn:aws:sqs:eu-west-1:123456789012:q', 'https://x', '../x'])(
    'refuses the name %j',
    (name) => {
      expect(lambdaParams.safeParse({ function: name }).success).toBe(false);
    },
  );
});

describe('eventbridge', () => {
  const mock = mockClient(EventBridgeClient);
  const task = eventbridgeTask(testServices({ eventbridge: new EventBridgeClient(local) }));
  const params = { source: 'com.example', detailType: 'Done', detail: { a: 1 }, bus: 'orders' };
  const run = (more: object = {}) => task.run(taskContext(eventbridgeParams.parse({ ...params, ...more })));
  beforeEach(() => void mock.reset());

  it('puts one event whose time is the due time', async () => {
    mock.on(PutEventsCommand).resolves({ FailedEntryCount: 0, Entries: [{ EventId: 'e-1' }] });
    await expect(run({ resources: ['arn:a'] })).resolves.toEqual({ eventId: 'e-1' });
    expect(mock.commandCalls(PutEventsCommand)[0]?.args[0].input).toEqual({
      Entries: [
        {
          EventBusName: 'orders',
          Source: 'com.example',
          DetailType: 'Done',
          Detail: '{"a":1}',
          Resources: ['arn:a'],
          Time: new Date('2026-12-01T10:00:00Z'),
        },
      ],
    });
  });

  it.each([
    ['ThrottlingException', 'AwsFailure'],
    ['InternalFailure', 'AwsFailure'],
    ['NotAuthorizedForSource', 'DoNotRetry'],
    ['InvalidArgument', 'DoNotRetry'],
  ])('an entry refused with %s inside an answer of 200 is a failure: %s', async (ErrorCode, name) => {
    mock.on(PutEventsCommand).resolves({ FailedEntryCount: 1, Entries: [{ ErrorCode, ErrorMessage: 'no' }] });
    await expect(run()).rejects.toMatchObject({ name, message: expect.stringContaining('the bus "orders"') });
  });

  it('leaves the source "aws.…" to AWS', () => {
    expect(eventbridgeParams.safeParse({ ...params, source: 'aws.ec2' }).success).toBe(false);
  });
});

describe('email', () => {
  const mock = mockClient(SESv2Client);
  const services = testServices({ ses: new SESv2Client(local) });
  const task = emailTask(services);
  const parsed = emailParams(services.recipients);
  const params = { from: 'a@example.com', to: ['b@example.com'], subject: 'Hi', text: 'Hello' };
  beforeEach(() => void mock.reset());

  it('sends exactly this', async () => {
    mock.on(SendEmailCommand).resolves({ MessageId: 'm-1' });
    const more = {
      ...params,
      fromName: 'Reports',
      cc: ['c@example.com'],
      html: '<b>Hello</b>',
      replyTo: ['d@example.com'],
    };
    await expect(task.run(taskContext(parsed.parse(more)))).resolves.toEqual({ messageId: 'm-1' });
    expect(mock.commandCalls(SendEmailCommand)[0]?.args[0].input).toEqual({
      FromEmailAddress: '"Reports" <a@example.com>',
      Destination: {
        ToAddresses: ['b@example.com'],
        CcAddresses: ['c@example.com'],
        BccAddresses: undefined,
      },
      ReplyToAddresses: ['d@example.com'],
      ConfigurationSetName: undefined,
      Content: {
        Simple: {
          Subject: { Data: 'Hi', Charset: 'UTF-8' },
          Body: {
            Text: { Data: 'Hello', Charset: 'UTF-8' },
            Html: { Data: '<b>Hello</b>', Charset: 'UTF-8' },
          },
          Headers: [{ Name: 'Punctual-Execution', Value: executionId }],
        },
      },
    });
  });

  it('encodes a name that is not ASCII, and takes none that would add a header', async () => {
    mock.on(SendEmailCommand).resolves({ MessageId: 'm-1' });
    await task.run(taskContext(parsed.parse({ ...params, fromName: 'Bücher' })));
    expect(mock.commandCalls(SendEmailCommand)[0]?.args[0].input.FromEmailAddress).toBe(
      '=?UTF-8?B?QsO8Y2hlcg==?= <a@example.com>',
    );
    for (const wrong of [{ fromName: 'x\r\nBcc: y' }, { subject: 'x\nBcc: y' }, { fromName: 'x" <y>' }])
      expect(parsed.safeParse({ ...params, ...wrong }).success).toBe(false);
  });

  it.each([
    [{ to: [] }],
    [{ text: undefined }],
    [{ to: Array<string>(50).fill('b@example.com'), cc: ['c@example.com'] }],
    [{ from: 'not an address' }],
    [{ to: ['b@elsewhere.example'] }],
    [{ to: ['b@example.com', 'b@elsewhere.example'] }],
    [{ cc: ['b@elsewhere.example'] }],
    [{ bcc: ['b@elsewhere.example'] }],
  ])('refuses %j', (wrong) => {
    expect(parsed.safeParse({ ...params, ...wrong }).success).toBe(false);
  });

  it('sends to nobody whom the worker’s configuration does not allow, also by a secret', async () => {
    const secrets = { location: 'here', read: async () => 'b@elsewhere.example' };
    const tasks = withSecrets(new Map([['email', task]]), secrets);
    const run = (to: unknown) => tasks.get('email')?.run(taskContext({ ...params, to }));
    for (const to of [['b@elsewhere.example'], [{ $secret: 'to' }]])
      await expect(run(to)).rejects.toMatchObject({
        name: 'DoNotRetry',
        message: expect.stringContaining('to[0]'),
      });
    expect(mock.commandCalls(SendEmailCommand)).toEqual([]);
  });

  it('does not repeat what SES has rejected', async () => {
    mock.on(SendEmailCommand).rejects(awsError('MessageRejected', 400, 'Email address is not verified.'));
    await expect(task.run(taskContext(parsed.parse(params)))).rejects.toMatchObject({
      name: 'DoNotRetry',
      message: 'could not send an e-mail from a@example.com: MessageRejected: Email address is not verified.',
    });
  });
});

describe('sqs and sns on the embedded engine', () => {
  let engine: RunningFauxqs;
  let sqs: SQSClient;
  let sns: SNSClient;
  let aws: ReturnType<typeof lazyAwsClients>;
  const services = () => ({ ...testServices({}), aws });
  beforeAll(async () => {
    engine = await startFauxqs({ region: local.region });
    const endpoint = engine.endpoint;
    sqs = new SQSClient({ ...local, endpoint });
    sns = new SNSClient({ ...local, endpoint });
    aws = lazyAwsClients({ region: local.region, embedded: { endpoint, credentials: local.credentials } });
  });
  afterAll(async () => {
    sqs.destroy();
    sns.destroy();
    for (const client of [await aws.sqs(), await aws.sns()]) client.destroy();
    await engine.stop();
  });

  const queue = async (name: string) => {
    const Attributes = name.endsWith('.fifo') ? { FifoQueue: 'true' } : undefined;
    return (await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }))).QueueUrl ?? '';
  };
  const received = async (QueueUrl: string) => {
    const all = { MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All' as const] };
    return (
      (
        await sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, ...all }),
        )
      ).Messages ?? []
    );
  };
  const send = (params: object, more: object = {}) =>
    sqsTask(services()).run(taskContext(sqsParams.parse(params), more));

  it('sends a message with its attributes and ours', async () => {
    const queueUrl = await queue('orders');
    const result = await send({ queueUrl, body: { a: 1 }, attributes: { Team: 'billing' } });
    const [message] = await received(queueUrl);
    expect(result).toMatchObject({ messageId: message?.MessageId });
    expect(message?.Body).toBe('{"a":1}');
    expect(message?.MessageAttributes).toMatchObject({
      Team: { StringValue: 'billing' },
      'Punctual-Execution': { StringValue: executionId },
      'Punctual-Attempt': { StringValue: '1' },
    });
  });

  it('to a FIFO queue sends once per execution, however often it is tried, in the order of the job', async () => {
    const queueUrl = await queue('orders.fifo');
    await send({ queueUrl, body: 'same' });
    await send({ queueUrl, body: 'same' }, { attempt: 2 });
    await send({ queueUrl, body: 'next' }, { idempotencyKey: 'job_a.2' });
    const messages = [];
    for (let more = await received(queueUrl); more.length > 0; more = await received(queueUrl)) {
      messages.push(...more);
      for (const { ReceiptHandle } of more)
        await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
    expect(messages.map(({ Body }) => Body)).toEqual(['same', 'next']);
    expect(messages[0]?.Attributes?.MessageGroupId).toBe('job_aaaaaaaaaaaaaaaaaaaa');
  });

  it('a queue that is not there is not tried again', async () => {
    const queueUrl = (await queue('gone')).replace('gone', 'nobody');
    await expect(send({ queueUrl, body: 'x' })).rejects.toBeInstanceOf(DoNotRetry);
  });

  it('goes to the region’s own endpoint, whatever host the queue’s address names', async () => {
    await queue('orders');
    const evil = 'https://evil.example/000000000000/orders';
    // the engine gets it: nothing signed by the worker went to evil.example
    await expect(send({ queueUrl: evil, body: 'x' })).resolves.toHaveProperty('messageId');
  });

  it('publishes to a topic, and a queue that subscribes to it gets it', async () => {
    const queueUrl = await queue('subscriber');
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
    );
    const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name: 'news' }));
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint: Attributes?.QueueArn }));
    const params = snsParams.parse({ topicArn: TopicArn, message: { a: 1 }, subject: 'News' });
    await expect(snsTask(services()).run(taskContext(params))).resolves.toHaveProperty('messageId');
    const [message] = await received(queueUrl);
    expect(JSON.parse(message?.Body ?? '')).toMatchObject({
      Message: '{"a":1}',
      Subject: 'News',
      MessageAttributes: { 'Punctual-Execution': { Value: executionId } },
    });
  });

  it.each([
    [{ body: '' }],
    [{ body: undefined }],
    [{ body: 'x', delaySeconds: 901 }],
    [{ body: 'x', attributes: { 'Punctual-Execution': 'mine' } }],
    [{ body: 'x', attributes: { 'AWS.x': 'y' } }],
    [{ body: 'x', queueUrl: 'https://sqs/1/q.fifo', delaySeconds: 1 }],
  ])('refuses %j', (wrong) => {
    expect(sqsParams.safeParse({ queueUrl: 'https://sqs/1/q', ...wrong }).success).toBe(false);
  });
});
