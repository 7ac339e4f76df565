// The port that runs scripts outside the worker's process. script-local.ts starts a child process, for local mode.
// script-fargate.ts starts a Fargate task, on AWS.

import type { TaskContext } from '../task.ts';
import type { Language } from './script-params.ts';

export interface Script {
  readonly language: Language;
  readonly source: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface ScriptEnd {
  /** Absent if the script was killed or never started. */
  readonly exitCode?: number;
  /** The reason or the signal that ended the script. Absent if it exited by itself. */
  readonly endedBy?: string;
  /** The beginning of stdout. */
  readonly stdout?: string;
  /** The end of stderr. */
  readonly stderr?: string;
  /** The end of stdout and stderr together, if the runner cannot separate them. */
  readonly output?: string;
  readonly truncated?: boolean;
  /** Link to the whole output. */
  readonly log?: string;
}

export interface ScriptRunner {
  /** After an abort, it stops all processes of the script and throws the reason of the signal. */
  run(script: Script, context: TaskContext<unknown>): Promise<ScriptEnd>;
}
