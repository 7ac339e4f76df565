// A worker process that runs nothing but scripts. A test starts it as another user, or kills it with kill -9.
import { tmpdir } from 'node:os';
import { localScripts } from '../../src/tasks/script/script-local.ts';
import { findScriptMode } from '../../src/tasks/script/script-mode.ts';
import { scriptParams } from '../../src/tasks/script/script-params.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/tasks/script/script-supervised.ts';
import { taskContext } from './task-context.ts';

export interface Asked {
  readonly id: number;
  /** Absent if the script with this id is to stop. */
  readonly params?: unknown;
  /** Variables that the schema of the task refuses. They are set in addition to `params`. */
  readonly environment?: Record<string, string>;
  readonly limits?: Partial<Limits>;
}

const mode = await findScriptMode({ trustedScripts: process.argv[2] === 'trusted', dataFolder: tmpdir() });
const running = new Map<number, AbortController>();

process.on('message', async ({ id, params, environment = {}, limits }: Asked) => {
  if (params === undefined) return running.get(id)?.abort(new Error('told to stop'));
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const { language, source = '', args = [], environment: own = {} } = scriptParams.parse(params);
    const script = { language, source, args, environment: { ...own, ...environment } };
    if (mode.name === 'refused') throw new Error(mode.summary);
    const runner = localScripts(mode.launch, { ...DEFAULT_LIMITS, ...limits });
    const end = await runner.run(script, taskContext(undefined, { signal: stop.signal }));
    process.send?.({ id, end });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
});
process.send?.({ mode: mode.name, summary: mode.summary });
