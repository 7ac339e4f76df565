// A script whose life line is closed before it has begun: its worker was killed while it started. The process that starts it
// here goes on, so nothing but the life line ends it.
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { startScript } from '../../src/tasks/script/script-local.ts';
import { findScriptMode } from '../../src/tasks/script/script-mode.ts';
import { DEFAULT_LIMITS, type Launcher } from '../../src/tasks/script/script-supervised.ts';
import { trusted } from '../../src/tasks/script/script-trusted.ts';
import { isolatedHere, processesWith } from '../support/script-workers.ts';

const mode = await findScriptMode({ trustedScripts: false, dataFolder: `${tmpdir()}/nowhere` });
const launchers: [string, Launcher][] = [['trusted', trusted]];
if (await isolatedHere()) launchers.push(['isolated', mode.name === 'refused' ? trusted : mode.launch]);

describe.each(launchers)('a script that is %s', (_, launch) => {
  it('does not run without its life line', async () => {
    for (let round = 0; round < 20; round++) {
      const mark = `${600 + round}.${process.pid}`;
      const script = { language: 'shell', source: `sleep ${mark}`, args: [], environment: {} } as const;
      const closed = openSync('/dev/null', 'r');
      const child = startScript(launch(script, DEFAULT_LIMITS), closed);
      closeSync(closed);
      await once(child, 'exit');
      await expect.poll(() => processesWith(mark)).toEqual([]);
    }
  });
});
