// The tasks that come with Punctual. A task is registered by standing here.
import { containerTask } from './container.ts';
import { emailTask } from './email.ts';
import { eventbridgeTask } from './eventbridge.ts';
import { httpTask } from './http.ts';
import { lambdaTask } from './lambda.ts';
import { noop } from './noop.ts';
import { NO_RECIPIENTS, type Recipients } from './recipients.ts';
import { scriptTask } from './script.ts';
import type { TaskServices } from './services.ts';
import { snsTask } from './sns.ts';
import { sqsTask } from './sqs.ts';
import type { Task, Tasks } from './task.ts';

const BUILTIN = {
  http: (services: TaskServices) => httpTask(() => services.http()),
  noop: () => noop,
  lambda: lambdaTask,
  sqs: sqsTask,
  sns: snsTask,
  eventbridge: eventbridgeTask,
  email: emailTask,
  script: scriptTask,
  container: (services: TaskServices) => containerTask(services),
} satisfies Record<string, (services: TaskServices) => Task<unknown>>;

export type BuiltinName = keyof typeof BUILTIN;
export const BUILTIN_NAMES = Object.keys(BUILTIN) as BuiltinName[];

/** Those of these names. The API hands in `describing`: it checks params and runs nothing. */
export function builtinTasks(
  services: TaskServices = describing(NO_RECIPIENTS),
  names: readonly BuiltinName[] = BUILTIN_NAMES,
): Tasks {
  return new Map(names.map((name) => [name, BUILTIN[name](services)]));
}

/** What the params of a task are checked with, and nothing that runs it. */
export const describing = (recipients: Recipients): TaskServices => ({
  recipients,
  get aws() {
    return unavailable();
  },
  get targets() {
    return unavailable();
  },
  http: unavailable,
  scripts: unavailable,
  containers: unavailable,
});

function unavailable(): never {
  throw new Error('this process only describes tasks: workers run them');
}
