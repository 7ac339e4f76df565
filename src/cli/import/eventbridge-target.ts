// The target of an EventBridge schedule or rule as a task with params.
import { fingerprint } from '../../domain/digest.ts';
import { type FieldPath, type Fields, Refused } from './fields.ts';

export interface TaskOfTarget {
  readonly task: string;
  readonly params: Record<string, unknown>;
}

interface Arn {
  readonly text: string;
  readonly partition: string;
  readonly service: string;
  readonly region: string;
  readonly account: string;
  readonly resource: string;
}

function arnOf(text: string): Arn {
  const [arn, partition = '', service = '', region = '', account = '', ...rest] = text.split(':');
  if (arn !== 'arn' || rest.length === 0)
    throw new Refused(`its target is not an ARN: ${text.slice(0, 100)}`);
  return { text, partition, service, region, account, resource: rest.join(':') };
}

/** `at` is the path of the target in the record. */
export function taskOf(fields: Fields, at: FieldPath): TaskOfTarget {
  const text = fields.useText(...at, 'Arn');
  if (text === undefined) throw new Refused('it has no target');
  const arn = arnOf(text);
  if (fields.peek(...at, 'InputTransformer') !== undefined || fields.peek(...at, 'InputPath') !== undefined)
    throw new Refused('its input depends on the event (InputTransformer, InputPath), and Punctual has none');
  const make = TASKS.get(arn.service);
  if (!make) throw new Refused(`Punctual has no task for the target ${text}`);
  const task = make({ fields, at, arn });
  fields.drop([...at, 'RoleArn'], "the worker's role is used; allow it to reach the target");
  fields.drop(
    [...at, 'DeadLetterConfig'],
    'a failed execution is a dead letter of Punctual; `notify` tells about it',
  );
  return task;
}

interface Target {
  readonly fields: Fields;
  readonly at: FieldPath;
  readonly arn: Arn;
}

const TASKS: ReadonlyMap<string, (target: Target) => TaskOfTarget> = new Map([
  ['lambda', lambdaTask],
  ['sqs', queueTask],
  ['sns', topicTask],
  ['events', busTask],
  ['ecs', containerTask],
]);

function lambdaTask(target: Target): TaskOfTarget {
  // EventBridge does not wait for the function, either
  const params = { function: target.arn.text, payload: jsonInput(target), mode: 'async' };
  return { task: 'lambda', params };
}

function queueTask(target: Target): TaskOfTarget {
  const { fields, at, arn } = target;
  const suffix = arn.partition === 'aws-cn' ? '.cn' : '';
  const queueUrl = `https://sqs.${arn.region}.amazonaws.com${suffix}/${arn.account}/${arn.resource}`;
  const groupId = fields.useText(...at, 'SqsParameters', 'MessageGroupId');
  const body = textInput(target);
  return { task: 'sqs', params: { queueUrl, body, ...(groupId !== undefined && { groupId }) } };
}

function topicTask(target: Target): TaskOfTarget {
  return { task: 'sns', params: { topicArn: target.arn.text, message: textInput(target) } };
}

function busTask(target: Target): TaskOfTarget {
  const { fields, at, arn } = target;
  if (!arn.resource.startsWith('event-bus/'))
    throw new Refused(`Punctual has no task for the target ${arn.text}`);
  const source = fields.useText(...at, 'EventBridgeParameters', 'Source');
  const detailType = fields.useText(...at, 'EventBridgeParameters', 'DetailType');
  if (source === undefined || detailType === undefined)
    throw new Refused(
      'its target is an event bus, and it has no EventBridgeParameters with Source and DetailType',
    );
  const detail = jsonInput(target);
  if (detail === null || typeof detail !== 'object' || Array.isArray(detail))
    throw new Refused('its Input is not a JSON object, which the detail of an event must be');
  return { task: 'eventbridge', params: { bus: arn.text, source, detailType, detail } };
}

/** AWS replaces these texts in the input of a schedule. */
const CONTEXT = /<aws\.scheduler\.[a-z-]+>/;

function inputOf({ fields, at }: Target): string | undefined {
  const text = fields.useText(...at, 'Input');
  if (text === undefined)
    fields.note(
      'changed',
      [],
      'it has no Input, so EventBridge sends an event of its own; Punctual sends {}',
    );
  else if (CONTEXT.test(text))
    fields.note(
      'changed',
      [...at, 'Input'],
      'texts such as <aws.scheduler.scheduled-time> are sent as they are',
    );
  return text;
}

/** The JSON value of the input. */
function jsonInput(target: Target): unknown {
  const text = inputOf(target);
  if (text === undefined) return {};
  if (hasLongNumber(text))
    target.fields.note(
      'changed',
      [...target.at, 'Input'],
      'a number has more digits than JavaScript keeps, so its last digits change; write it as text',
    );
  return jsonOf(text);
}

const MAX_DIGITS = 15;

/** Whether a number outside of texts has more digits than each number keeps, and changes. */
const hasLongNumber = (json: string): boolean =>
  (json.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []).some(
    (number) => number.replace(/\D/g, '').length > MAX_DIGITS && String(Number(number)) !== number,
  );

/** The input as it is sent, byte for byte. An empty message is not allowed. */
const textInput = (target: Target): string => inputOf(target) || '{}';

const OF_DEPLOYMENT = 'cluster, network and launch type are settings of the deployment (docs/tasks.md)';

function containerTask(target: Target): TaskOfTarget {
  const { fields, at } = target;
  const parameters = [...at, 'EcsParameters'];
  const taskDefinition = fields.useText(...parameters, 'TaskDefinitionArn');
  if (taskDefinition === undefined)
    throw new Refused('its target is an ECS cluster without a task definition');
  fields.note('changed', [...at, 'Arn'], OF_DEPLOYMENT);
  const count = fields.peek(...parameters, 'TaskCount');
  if (count === 1) fields.use(...parameters, 'TaskCount');
  else fields.drop([...parameters, 'TaskCount'], 'an execution runs one task');
  for (const name of ['LaunchType', 'NetworkConfiguration', 'PlatformVersion', 'CapacityProviderStrategy'])
    fields.drop([...parameters, name], OF_DEPLOYMENT);
  return { task: 'container', params: { taskDefinition, ...overridesOf(fields, [...at, 'Input']) } };
}

/** The input of an ECS target has the overrides of containers. If a part of it is not carried over, it is reported. */
function overridesOf(fields: Fields, path: FieldPath): Record<string, unknown> {
  const text = fields.peek(...path);
  if (text === undefined) return {};
  const given = typeof text === 'string' ? jsonOf(text) : text;
  const [first] = listOf(Object(given).containerOverrides);
  const { name, command, environment } = Object(first) as Record<string, unknown>;
  const variables = listOf(environment).filter(isVariable);
  const carried = {
    ...(typeof name === 'string' && { container: name }),
    ...(isTexts(command) && { command }),
    ...(variables.length > 0 && {
      environment: Object.fromEntries(variables.map((variable) => [variable.name, variable.value])),
    }),
  };
  if (fingerprint(inputOfOverrides(carried)) === fingerprint(given)) fields.use(...path);
  else
    fields.note(
      'dropped',
      path,
      'only name, command and environment of the first container override are carried over',
    );
  return carried;
}

interface Overrides {
  readonly container?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** The input that an import of the overrides would read. */
const inputOfOverrides = ({ container, command, environment }: Overrides) => ({
  containerOverrides: [
    {
      ...(container !== undefined && { name: container }),
      ...(command && { command }),
      ...(environment && {
        environment: Object.entries(environment).map(([name, value]) => ({ name, value })),
      }),
    },
  ],
});

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
const isVariable = (value: unknown): value is { name: string; value: string } => {
  const { name, value: text } = Object(value) as { name?: unknown; value?: unknown };
  return typeof name === 'string' && typeof text === 'string';
};

/** Text that is not JSON stays text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
