// How a tenant's program is run, somewhere that is not the worker's process. Two ways: a child process on a developer's
// machine (script-local.ts), a Fargate task of its own on AWS (script-fargate.ts).

import type { TaskContext } from '../task.ts';
import type { Language } from './script-params.ts';

export interface Script {
  readonly language: Language;
  readonly source: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface ScriptEnd {
  /** Absent: it was ended from outside, or never began. */
  readonly exitCode?: number;
  /** Why it was ended, or by which signal. */
  readonly endedBy?: string;
  /** The beginning of it. */
  readonly stdout?: string;
  /** The end of it. */
  readonly stderr?: string;
  /** Both together, where they cannot be told apart: the end of it. */
  readonly output?: string;
  readonly truncated?: boolean;
  /** Link to the whole output. */
  readonly log?: string;
}

export interface ScriptRunner {
  /** Throws the signal's reason when it was aborted; nothing of the program runs any more then. */
  run(script: Script, context: TaskContext<unknown>): Promise<ScriptEnd>;
}
