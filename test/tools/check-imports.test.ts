import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, checkConsole, importCycles } from '../../tools/check-imports.ts';

const file = (name: string) => join(resolve(import.meta.dirname, '../../src'), name);
const found = (name: string, text: string) =>
  check(file(name), text).map(({ where, what }) => `${where}: ${what}`);

describe('the import check', () => {
  it('lets imports point inward', () => {
    expect(found('jobs/edit-job.ts', "import type { Store } from '../store/store.ts';")).toEqual([]);
    expect(found('local/main.ts', "import { startWorker } from '../worker/worker.ts';")).toEqual([]);
    expect(found('api/lambda.ts', "import { systemClock } from '../runtime/clock/system-clock.ts';")).toEqual(
      [],
    );
  });

  it('refuses an import that points outward, types included', () => {
    expect(found('domain/jobs/job.ts', "import type { Store } from '../../store/store.ts';")).toEqual([
      'src/domain/jobs/job.ts:1: src/domain imports src/store',
    ]);
    expect(found('domain/schedule/cron.ts', "export * from '../../scheduling/planning/plan.ts';")).toEqual([
      'src/domain/schedule/cron.ts:1: src/domain imports src/scheduling',
    ]);
  });

  it('refuses an import between neighbours, also one spread over lines or made on demand', () => {
    expect(found('store/dynamodb/dynamodb.ts', "import {\n  send,\n} from '../../queue/sqs.ts';")).toEqual([
      'src/store/dynamodb/dynamodb.ts:3: src/store imports src/queue',
    ]);
    expect(found('worker/main.ts', "const api = await import('../api/handler.ts');")).toEqual([
      'src/worker/main.ts:1: src/worker imports src/api',
    ]);
  });

  it('refuses the wall clock, global random numbers and the environment below the runtimes', () => {
    expect(
      found('scheduling/planning/plan.ts', 'const now = Date.now();\n// Date.now() is said here only'),
    ).toEqual(['src/scheduling/planning/plan.ts:1: src/scheduling uses Date.now(']);
    expect(found('store/dynamodb/dynamodb.ts', 'const table = process.env.TABLE;')).toHaveLength(1);
    expect(found('local/main.ts', 'const now = Date.now();')).toEqual([]);
  });

  it('lets the client take types of the contract and load nothing from outside its folder', () => {
    const types = "import type { contract } from '../api/contract.ts';\nimport type { z } from 'zod';";
    expect(found('client/types.ts', `${types}\nimport { listing } from './listing.ts';`)).toEqual([]);
    expect(found('client/types.ts', "\nimport {\n  contract,\n} from '../api/contract.ts';")).toEqual([
      'src/client/types.ts:2: src/client loads ../api/contract.ts at run time',
    ]);
    expect(found('client/client.ts', "import { type z } from 'zod';\nimport 'node:crypto';")).toEqual([
      'src/client/client.ts:1: src/client loads zod at run time',
      'src/client/client.ts:2: src/client loads node:crypto at run time',
    ]);
    expect(found('client/client.ts', "export { ids } from '../domain/ids.ts';")).toHaveLength(2);
    expect(found('api/routes.ts', "import type { Job } from '../client/client.ts';")).toHaveLength(1);
  });

  it('lets the command use the client and local mode, and nobody use the command', () => {
    expect(found('cli/token.ts', "import { tokenKey } from '../local/tokens.ts';")).toEqual([]);
    expect(found('cli/list.ts', "import { listJobs } from '../queries/list-jobs.ts';")).toHaveLength(1);
    expect(found('local/main.ts', "import { run } from '../cli/main.ts';")).toHaveLength(1);
  });

  it('refuses a folder that has no place in the layers', () => {
    expect(found('helpers/x.ts', '')).toEqual(['src/helpers/x.ts: src/helpers has no place in the layers']);
  });

  it('refuses a file directly in src', () => {
    expect(found('constants.ts', '')).toEqual(['src/constants.ts: the file is directly in src']);
  });

  it('lets planning and running import claiming, and claiming import records', () => {
    const records = "import { writeRow } from '../records/write-row.ts';";
    const claiming = "import { newHold } from '../claiming/holds.ts';";
    expect(found('scheduling/claiming/claim.ts', records)).toEqual([]);
    expect(found('scheduling/planning/settle-slot.ts', `${records}\n${claiming}`)).toEqual([]);
    expect(found('scheduling/running/run-attempt.ts', `${records}\n${claiming}`)).toEqual([]);
    expect(found('scheduling/records/write-row.ts', "import type { Context } from '../context.ts';")).toEqual(
      [],
    );
  });

  it('refuses imports inside scheduling that point outward', () => {
    expect(
      found('scheduling/records/write-row.ts', "import type { Hold } from '../claiming/holds.ts';"),
    ).toEqual([
      'src/scheduling/records/write-row.ts:1: src/scheduling/records imports src/scheduling/claiming',
    ]);
    expect(
      found('scheduling/claiming/claim.ts', "import { runAttempt } from '../running/run-attempt.ts';"),
    ).toEqual(['src/scheduling/claiming/claim.ts:1: src/scheduling/claiming imports src/scheduling/running']);
    expect(
      found('scheduling/running/run-attempt.ts', "import { replan } from '../planning/replan.ts';"),
    ).toHaveLength(1);
    expect(found('scheduling/context.ts', "import { replan } from './planning/replan.ts';")).toHaveLength(1);
    expect(
      found('scheduling/claiming/fencing.ts', "import { wakeNext } from '../running/after-execution.ts';"),
    ).toEqual([]);
  });

  it('finds import cycles, types included', () => {
    const cycles = (texts: Record<string, string>) =>
      importCycles(new Map(Object.entries(texts).map(([name, text]) => [file(name), text]))).map((cycle) =>
        cycle.map((path) => relative(file(''), path)),
      );
    expect(
      cycles({
        'queue/a.ts': "import { b } from './b.ts';",
        'queue/b.ts': "import type { C } from './c.ts';",
        'queue/c.ts': "export { a } from './a.ts';",
        'queue/d.ts': "import { a } from './a.ts';",
      }),
    ).toEqual([['queue/a.ts', 'queue/b.ts', 'queue/c.ts', 'queue/a.ts']]);
    expect(
      cycles({
        'queue/a.ts': "import { b } from './b.ts';\nimport { c } from './c.ts';",
        'queue/b.ts': "import { c } from './c.ts';",
        'queue/c.ts': '',
      }),
    ).toEqual([]);
    expect(cycles({ 'queue/a.ts': "const again = await import('./a.ts');" })).toHaveLength(1);
  });
});

describe('the import check of the console', () => {
  const root = resolve(import.meta.dirname, '../..');
  const files: Record<string, string> = {
    'src/domain/schedule/describe.ts': "import { cron } from './cron.ts';",
    'src/domain/schedule/cron.ts': '',
    'src/domain/jobs/job-spec.ts': "import { shape } from './shape.ts';",
    'src/domain/jobs/shape.ts': "import { z } from 'zod';",
    'src/domain/digest.ts': "import { createHash } from 'node:crypto';",
    'src/client/client.ts': '',
  };
  const inConsole = (name: string, text: string) =>
    checkConsole(join(root, 'console', name), text, (path) => files[relative(root, path)] ?? '').map(
      ({ where, what }) => `${where}: ${what}`,
    );

  it('lets the console import itself, the client and the domain', () => {
    expect(inConsole('parts/page.tsx', "import { Id } from './id.tsx';")).toEqual([]);
    expect(inConsole('api/api.ts', "import { createClient } from '../../src/client/client.ts';")).toEqual([]);
    expect(inConsole('parts/a.ts', "import { d } from '../../src/domain/schedule/describe.ts';")).toEqual([]);
    expect(inConsole('parts/a.ts', "import type { Job } from '../../src/domain/jobs/job-spec.ts';")).toEqual(
      [],
    );
  });

  it('refuses the server', () => {
    expect(inConsole('api/api.ts', "\nimport type { Store } from '../../src/store/store.ts';")).toEqual([
      'console/api/api.ts:2: console/ imports src/store/store.ts',
    ]);
    expect(inConsole('api/api.ts', "const x = await import('../../lib/index.ts');")).toEqual([
      'console/api/api.ts:1: console/ imports lib/index.ts',
    ]);
  });

  it('refuses files that load zod or a module of Node, also through others', () => {
    expect(inConsole('parts/a.ts', "import { s } from '../../src/domain/jobs/job-spec.ts';")).toEqual([
      'console/parts/a.ts:1: console/ loads src/domain/jobs/job-spec.ts → src/domain/jobs/shape.ts → zod',
    ]);
    expect(inConsole('parts/a.ts', "import { s } from '../../src/domain/digest.ts';")).toEqual([
      'console/parts/a.ts:1: console/ loads src/domain/digest.ts → node:crypto',
    ]);
    expect(inConsole('parts/a.ts', "import { readFile } from 'node:fs/promises';")).toEqual([
      'console/parts/a.ts:1: console/ loads node:fs/promises',
    ]);
  });

  it('lets the build use Node, and keeps it apart', () => {
    expect(inConsole('build/a.ts', "import { readFile } from 'node:fs/promises';")).toEqual([]);
    expect(inConsole('build/a.ts', "import { x } from '../../src/client/client.ts';")).toEqual([
      'console/build/a.ts:1: console/ imports src/client/client.ts',
    ]);
    expect(inConsole('app.tsx', "import { buildConsole } from './build/build-console.ts';")).toEqual([
      'console/app.tsx:1: console/ imports console/build/build-console.ts',
    ]);
  });
});
