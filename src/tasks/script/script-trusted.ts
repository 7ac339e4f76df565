// Runs scripts as the current user without isolation. This suits a machine where everybody who creates jobs may have the rights
// of this user. All processes of a script end with the worker, also after kill -9.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILES, interpreter, type Launcher, limited, supervised, variablesOf } from './script-supervised.ts';

/**
 * The clean-up at the end of a run. A process that has left the process group is found in /proc by its TMPDIR, which is unique
 * per run. This shell has an empty environment, so that it does not find itself. The search is repeated up to ten times,
 * because a process may fork before it is killed.
 */
const CLEAN = `cd /
for _ in 1 2 3 4 5 6 7 8 9 10; do
  found=$(grep -lzsFx "TMPDIR=$1" /proc/[0-9]*/environ | cut -d/ -f3)
  [ -n "$found" ] || break
  kill -KILL $found
done
chmod -R u+rwX "$1"; rm -rf "$1"; kill -KILL 0`;

export const trusted: Launcher = (script, limits) => {
  const { language, source, args } = script;
  const program = interpreter(language, process.execPath, limits);
  const folder = mkdtempSync(join(tmpdir(), 'punctual-script-'));
  const file = join(folder, FILES[language]);
  writeFileSync(file, source, { mode: 0o600 });
  return {
    command: [
      ...limited(limits, language),
      ...supervised(`env -i PATH="$PATH" /bin/sh -c '${CLEAN}' sh "$TMPDIR" 2>/dev/null; kill -KILL 0`),
      ...[...program, file, ...args],
    ],
    env: variablesOf(script, folder),
    cwd: folder,
    files: [],
    folder,
  };
};
