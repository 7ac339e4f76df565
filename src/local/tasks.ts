// The tasks of local mode: all of them. SQS, SNS and S3 are AWS's, or fauxqs's under start:aws. Scripts run on this machine,
// loopback may be called, secrets and signing keys are files of the data folder.
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
import { StartError } from './run.ts';

/** What tasks of local mode run with. */
export interface Surroundings {
  readonly aws: AwsOptions;
  /** The ports of this machine that no job may call. */
  readonly ownPorts: () => ReadonlySet<number>;
  readonly log: Log;
}

/** For the API: they are described and their params are checked. */
export const describedTasks = (scripts: ScriptMode, env: Environment): Promise<Tasks> => {
  const given = readConfig(taskVariables, env);
  const tasks = new Map(builtinTasks(describeOnlyServices(allowedRecipients(given)), given.PUNCTUAL_TASKS));
  const script = tasks.get('script');
  if (script && scripts.name === 'refused') tasks.set('script', { ...script, unavailable: SCRIPTS_REFUSED });
  return custom(tasks, given);
};

/** For the worker: they run. */
export async function localTasks(
  config: LocalConfig,
  surroundings: Surroundings,
  scripts: ScriptMode,
  env: Environment,
): Promise<Tasks> {
  const given = readConfig(taskVariables, env);
  const services = { ...localServices(config, surroundings, given), scripts: () => runnerOf(scripts) };
  const tasks = builtinTasks(services, given.PUNCTUAL_TASKS);
  return withSecrets(await custom(tasks, given), fileSecrets(config.dataFolder, surroundings.log));
}

/** For the notifier. Without a sender for SES, e-mails are written to a file: locally there is nobody to send them. */
export function localDelivering(config: LocalConfig, surroundings: Surroundings, env: Environment): Tasks {
  const given = readConfig(taskVariables, env);
  const { emailFrom, bus } = config.notifier;
  const targets = notificationTargets(allowedTargets(given).sns ?? ['*'], emailFrom, bus);
  const tasks = notificationTasks({ ...localServices(config, surroundings, given), targets });
  const outbox = mailFile(join(config.dataFolder, 'outbox.jsonl'), allowedRecipients(given));
  return emailFrom === undefined ? new Map([...tasks, [outbox.name, outbox]]) : tasks;
}

const custom = (tasks: Tasks, { PUNCTUAL_TASKS_FOLDER: folder }: TaskVariables): Promise<Tasks> =>
  withCustomTasks(tasks, folder).catch((error: unknown) => {
    throw error instanceof CustomTaskError ? new StartError(error.message) : error;
  });

function localServices(
  config: LocalConfig,
  { aws, ownPorts, log }: Surroundings,
  given: TaskVariables,
): TaskServices {
  const limited = Object.entries(allowedTargets(given)).filter(([, patterns]) => patterns !== undefined);
  const allow = { ...ANY_TARGET, ...Object.fromEntries(limited) };
  const rules = addressRules({ loopback: true, ownPorts, allow: given.PUNCTUAL_ALLOW_HTTP });
  return {
    aws: lazyAwsClients(aws),
    targets: createTargets({ allow, never: ownQueues(config.prefix) }),
    recipients: allowedRecipients(given),
    http: once(() => ({
      dispatcher: guardedAgent(rules),
      hostLimiter: new HostLimiter({ perHost: perHost(config.concurrency) }),
      signingKeys: derivedKeys(async () =>
        forRuns('the signing keys', log, () => readMasterKeys(config.dataFolder)),
      ),
    })),
    containers: () => requireContainerNetwork(given),
    scripts: () => {
      throw new Error('no script delivers a notification');
    },
  };
}

function runnerOf(scripts: ScriptMode): ScriptRunner {
  if (scripts.name === 'refused') throw new DoNotRetry(`the task ${SCRIPTS_REFUSED}`);
  return localScripts(scripts.launch);
}
