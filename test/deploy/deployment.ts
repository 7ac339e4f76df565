// Deploys a stack of test/deploy/app.ts to the emulator with the CDK, and reads what was deployed.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { holds } from './check.ts';
import type { Cleanup } from './cleanup.ts';
import { adaptCanary, adaptToIam, UNKNOWN } from './emulator/differences.ts';
import type { Emulator } from './emulator/ministack.ts';
import {
  isUnknown,
  type Resource,
  readTemplate,
  type Stripped,
  strip,
  type Template,
  templatePath,
  writeTemplate,
} from './emulator/template.ts';
import { ACCOUNT, REGION } from './names.ts';
import { type Aws, awsCli, cdk, ProgramError } from './programs.ts';
import type { Step } from './report.ts';

/** The stack's id in the assembly and its name in the account. */
export const STACKS = {
  default: { id: 'Punctual', name: 'punctual-default' },
  restored: { id: 'Punctual', name: 'punctual-restored' },
  full: { id: 'Own', name: 'punctual-full' },
} as const;
export type StackName = keyof typeof STACKS;

export interface Deployment {
  readonly stack: StackName;
  readonly emulator: Emulator;
  readonly aws: Aws;
  /** The outputs by the names of docs/deploy.md: `Url`, `UserPoolId`, … */
  readonly outputs: Readonly<Record<string, string>>;
  /** The file that `cdk deploy --outputs-file` has written. */
  readonly outputsFile: string;
  /** The folder that `cdk synth` has written. */
  readonly assembly: string;
  readonly stripped: Stripped;
  /** The id in the account of the one resource of this type whose logical id matches. */
  physicalId(type: string, logicalId: RegExp): string;
}

export async function bootstrap(emulator: Emulator, cleanup: Cleanup): Promise<void> {
  // The folder has no cdk.json, so nothing is synthesized.
  const folder = cleanup.folder('bootstrap');
  await cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`], emulator.env, folder);
}

/** `mapping` is a file of `cdk import`: it names tables that exist already, which the stack takes over. */
export async function deploy(
  stack: StackName,
  emulator: Emulator,
  step: Step,
  cleanup: Cleanup,
  mapping?: string,
): Promise<Deployment> {
  const { id, name } = STACKS[stack];
  const folder = cleanup.folder(`deploy-${stack}`);
  const assembly = join(folder, 'cdk.out');
  mkdirSync(assembly);
  const path = templatePath(assembly, id);
  const aws = awsCli(emulator.env);

  const whole = await step('synthesize with the CDK', async (note) => {
    const env = { ...emulator.env, DEPLOY_STACK: stack };
    await cdk(['synth', '--quiet', '--app', 'node test/deploy/app.ts', '--output', assembly], env);
    const template = readTemplate(path);
    note(`${Object.keys(template.Resources).length} resources`);
    return template;
  });
  const stripped = await step('take out what the emulator does not know', async (note) => {
    await checkUnknownTypes(aws, folder, whole);
    const found = strip(whole);
    const adapted = adaptCanary(found.template, emulator.endpoint);
    writeTemplate(path, emulator.enforcesIam ? adaptToIam(adapted) : adapted);
    note(`${Object.keys(found.removed).length} resources, each type with its recorded error`);
    return found;
  });
  if (mapping !== undefined)
    await step('cdk import', () =>
      cdk(['import', '--app', assembly, '--resource-mapping', mapping], emulator.env),
    );
  const file = join(folder, 'outputs.json');
  const outputs = await step('cdk deploy', async () => {
    await cdk(
      ['deploy', '--app', assembly, '--require-approval', 'never', '--outputs-file', file],
      emulator.env,
    );
    return shortNames(JSON.parse(readFileSync(file, 'utf8'))[name]);
  });
  const { StackResources: resources } = (await aws(
    'cloudformation',
    'describe-stack-resources',
    '--stack-name',
    name,
  )) as { StackResources: { LogicalResourceId: string; PhysicalResourceId: string; ResourceType: string }[] };
  return {
    stack,
    emulator,
    aws,
    outputs,
    outputsFile: file,
    assembly,
    stripped,
    physicalId(type, logicalId) {
      const found = resources.filter(
        (resource) => resource.ResourceType === type && logicalId.test(resource.LogicalResourceId),
      );
      if (found.length !== 1) throw new Error(`${found.length} resources of ${type} match ${logicalId}`);
      return found[0]?.PhysicalResourceId ?? '';
    },
  };
}

/** Removes the stack as docs/deploy.md says. CloudFormation deletes only empty buckets. */
export async function destroy(deployment: Deployment, step: Step): Promise<void> {
  const { stack, aws, emulator, assembly, physicalId } = deployment;
  await step('cdk destroy leaves nothing behind', async () => {
    if (stack === 'full')
      await aws('s3', 'rm', `s3://${physicalId('AWS::S3::Bucket', /Scripts/)}`, '--recursive', '--quiet');
    await cdk(['destroy', '--app', assembly, '--all', '--force'], emulator.env);
    const lists = [
      ['dynamodb', 'list-tables'],
      ['cognito-idp', 'list-user-pools', '--max-results', '60'],
      ['lambda', 'list-functions'],
      ['apigatewayv2', 'get-apis'],
      ['ecs', 'list-clusters'],
      ['events', 'list-rules'],
      ['s3api', 'list-buckets'],
    ];
    for (const list of lists) {
      const left = JSON.stringify(await aws(...list));
      holds(!left.includes(STACKS[stack].name), `aws ${list.join(' ')} has nothing of the stack: ${left}`);
    }
  });
}

/** `PunctualUrlE79DDA4A` → `Url`. */
const shortNames = (outputs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(outputs).map(([key, value]) => [
      key.replace(/^Punctual/, '').replace(/[0-9A-F]{8}$/, ''),
      value,
    ]),
  );

/** The list of unknown types must be that of the emulator: neither shorter, nor longer. */
async function checkUnknownTypes(aws: Aws, folder: string, template: Template): Promise<void> {
  const listed = UNKNOWN.filter(({ property }) => property === undefined).map(({ type }) => type);
  const used = new Set(Object.values(template.Resources).map(({ Type }) => Type));
  const expected = listed.filter((type) => used.has(type));
  const error = await refusal(aws, folder, [...used]);
  const named = /Unrecognized resource types: \[([^\]]*)\]/.exec(error)?.[1]?.split(', ') ?? [];
  const added = named.filter((type) => !listed.includes(type));
  if (added.length > 0)
    throw new Error(
      `the emulator does not know ${added.join(', ')}, and test/deploy/emulator/differences.ts does not list it`,
    );
  const known = expected.filter((type) => !named.includes(type));
  if (known.length > 0)
    throw new Error(
      `the emulator now knows ${known.join(', ')}: take it out of test/deploy/emulator/differences.ts`,
    );
  for (const entry of UNKNOWN.filter(({ property }) => property !== undefined)) {
    const example = Object.entries(template.Resources).find(
      ([, resource]) => resource.Type === entry.type && isUnknown(resource),
    );
    if (example) await checkRefused(aws, folder, example, entry.error);
  }
}

/** The error of ValidateTemplate for one resource of each type. It is empty if the emulator knows all of them. */
async function refusal(aws: Aws, folder: string, types: readonly string[]): Promise<string> {
  const file = join(folder, 'types.json');
  writeTemplate(file, { Resources: Object.fromEntries(types.map((Type, index) => [`R${index}`, { Type }])) });
  try {
    await aws('cloudformation', 'validate-template', '--template-body', `file://${file}`);
    return '';
  } catch (error) {
    if (error instanceof ProgramError) return error.output;
    throw error;
  }
}

/** A stack with this resource alone must fail with the recorded error. */
async function checkRefused(
  aws: Aws,
  folder: string,
  [id, { Type, Properties }]: [string, Resource],
  error: string,
): Promise<void> {
  const name = 'refused';
  const file = join(folder, `${name}.json`);
  const { AlarmActions: _, OKActions: __, ...own } = Properties;
  writeTemplate(file, { Resources: { [id]: { Type, Properties: own } } });
  await aws('cloudformation', 'create-stack', '--stack-name', name, '--template-body', `file://${file}`);
  const { StackEvents: events } = (await aws(
    'cloudformation',
    'describe-stack-events',
    '--stack-name',
    name,
  )) as { StackEvents: { ResourceStatusReason?: string }[] };
  if (!events.some(({ ResourceStatusReason = '' }) => ResourceStatusReason.includes(error)))
    throw new Error(
      `the emulator no longer refuses a ${Type} with "${error}": ${JSON.stringify(events)}. Correct test/deploy/emulator/differences.ts`,
    );
  await aws('cloudformation', 'delete-stack', '--stack-name', name);
}
