// The tasks of local mode. Under `npm run start:aws`, SQS, SNS and S3 are fauxqs's. Scripts run on this machine, HTTP requests
// may go to loopback addresses, and secrets and signing keys are files of the data folder.
import { join } from 'node:path';
import { type Environment, readConfig } from '../runtime/config.ts';
import type { Log } from '../scheduling/context.ts';
import { ANY_TARGET, createTargets } from '../tasks/aws/targets.ts';
import { type AwsOptions, lazyAwsClients } from '../tasks/aws/task-clients.ts';
import {
  notificationTargets,
  notificationTasks,
  once,
  ownQueues,
  perHost,
  requireContainerNetwork,
} from '../tasks/aws/worker-tasks.ts';
import { CustomTaskError, withCustomTasks } from '../tasks/custom-tasks.ts';
import { addressRules } from '../tasks/http/addresses.ts';
import { guardedAgent } from '../tasks/http/guarded-connect.ts';
import { HostLimiter } from '../tasks/http/host-limiter.ts';
import { derivedKeys } from '../tasks/http/signing-keys.ts';
import { builtinTasks, describeOnlyServices } from '../tasks/registry.ts';
import { localScripts } from '../tasks/script/script-local.ts';
import { SCRIPTS_REFUSED, type ScriptMode } from '../tasks/script/script-mode.ts';
import type { ScriptRunner } from '../tasks/script/script-runner.ts';
import { withSecrets } from '../tasks/secrets/secrets.ts';
import type { TaskServices } from '../tasks/services.ts';
import { DoNotRetry, type Tasks } from '../tasks/task.ts';
import {
  allowedRecipients,
  allowedTargets,
  type TaskVariables,
  taskVariables,
} from '../tasks/task-settings.ts';
import type { LocalConfig } from './config.ts';
import { fileSecrets, forRuns, readMasterKeys } from './key-files.ts';
import { mailFile } from './mail-file.ts';
import { StartError } from './start-error.ts';

/** The services of this process that tasks need. */
export interface TaskEnvironment {
  readonly aws: AwsOptions;
  /** The ports of this machine that no job may call. */
  readonly schedulerPorts: () => ReadonlySet<number>;
  readonly log: Log;
}

/** The tasks of the API, which describes them and checks their params but never runs them. */
export const describableTasks = (scripts: ScriptMode, env: Environment): Promise<Tasks> => {
  const given = readConfig(taskVariables, env);
  const tasks = new Map(builtinTasks(describeOnlyServices(allowedRecipients(given)), given.PUNCTUAL_TASKS));
  const script = tasks.get('script');
  if (script && scripts.name === 'refused') tasks.set('script', { ...script, unavailable: SCRIPTS_REFUSED });
  return addCustomTasks(tasks, given);
};

/** The tasks of the worker, which runs them. */
export async function localTasks(
  config: LocalConfig,
  environment: TaskEnvironment,
  scripts: ScriptMode,
  env: Environment,
): Promise<Tasks> {
  const given = readConfig(taskVariables, env);
  const services = { ...localServices(config, environment, given), scripts: () => runnerOf(scripts) };
  const tasks = builtinTasks(services, given.PUNCTUAL_TASKS);
  return withSecrets(await addCustomTasks(tasks, given), fileSecrets(config.dataFolder, environment.log));
}

/** The tasks of the notifier. E-mails are written to a file unless PUNCTUAL_NOTIFY_EMAIL_FROM names a sender for SES. */
export function localDeliveryTasks(
  config: LocalConfig,
  environment: TaskEnvironment,
  env: Environment,
): Tasks {
  const given = readConfig(taskVariables, env);
  const { emailFrom, bus } = config.notifier;
  const targets = notificationTargets(allowedTargets(given).sns ?? ['*'], emailFrom, bus);
  const tasks = notificationTasks({ ...localServices(config, environment, given), targets });
  const outbox = mailFile(join(config.dataFolder, 'outbox.jsonl'), allowedRecipients(given));
  return emailFrom === undefined ? new Map([...tasks, [outbox.name, outbox]]) : tasks;
}

const addCustomTasks = (tasks: Tasks, { PUNCTUAL_TASKS_FOLDER: folder }: TaskVariables): Promise<Tasks> =>
  withCustomTasks(tasks, folder).catch((error: unknown) => {
    throw error instanceof CustomTaskError ? new StartError(error.message) : error;
  });

function localServices(
  config: LocalConfig,
  { aws, schedulerPorts, log }: TaskEnvironment,
  given: TaskVariables,
): TaskServices {
  const limited = Object.entries(allowedTargets(given)).filter(([, patterns]) => patterns !== undefined);
  const allow = { ...ANY_TARGET, ...Object.fromEntries(limited) };
  const rules = addressRules({ loopback: true, ownPorts: schedulerPorts, allow: given.PUNCTUAL_ALLOW_HTTP });
  return {
    aws: lazyAwsClients(aws),
    targets: createTargets({ allow, never: ownQueues(config.prefix) }),
    recipients: allowedRecipients(given),
    http: once(() => ({
      dispatcher: guardedAgent(rules),
      hostLimiter: new HostLimiter({ perHost: perHost(config.concurrency), ownerShare: config.ownerShare }),
      signingKeys: derivedKeys(async () =>
        forRuns('the signing keys', log, () => readMasterKeys(config.dataFolder)),
      ),
    })),
    containers: () => requireContainerNetwork(given),
    scripts: () => {
      throw new Error('notifications are never delivered by scripts');
    },
  };
}

function runnerOf(scripts: ScriptMode): ScriptRunner {
  if (scripts.name === 'refused') throw new DoNotRetry(`the task ${SCRIPTS_REFUSED}`);
  return localScripts(scripts.launch);
}
