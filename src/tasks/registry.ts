// The registry of the built-in tasks.

import { emailTask } from './aws/email-task.ts';
import { eventbridgeTask } from './aws/eventbridge-task.ts';
import { lambdaTask } from './aws/lambda-task.ts';
import { NO_RECIPIENTS, type Recipients } from './aws/recipients.ts';
import { snsTask } from './aws/sns-task.ts';
import { sqsTask } from './aws/sqs-task.ts';
import { containerTask } from './container/container.ts';
import { httpTask } from './http/http.ts';
import { noop } from './noop.ts';
import { scriptTask } from './script/script.ts';
import type { TaskServices } from './services.ts';
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

/** The built-in tasks with these names. The default services are for the API, which describes tasks and runs none. */
export function builtinTasks(
  services: TaskServices = describeOnlyServices(NO_RECIPIENTS),
  names: readonly BuiltinName[] = BUILTIN_NAMES,
): Tasks {
  return new Map(names.map((name) => [name, BUILTIN[name](services)]));
}

/** Services for describing tasks and checking params. A task that is run with them throws. */
export const describeOnlyServices = (recipients: Recipients): TaskServices => ({
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
  throw new Error('this process describes tasks and cannot run them');
}
