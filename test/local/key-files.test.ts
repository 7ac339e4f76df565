// The owner of a job reads the errors of its executions. So they do not contain the paths of the key files. The worker's log
// does.
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLocalConfig } from '../../src/local/config.ts';
import { localSigningKeys } from '../../src/local/local-signing-keys.ts';
import { localTasks } from '../../src/local/local-tasks.ts';
import { createLog } from '../../src/runtime/log.ts';
import { type Folder, temporaryFolder } from '../support/processes.ts';
import { taskContext } from '../support/task-context.ts';

let folder: Folder;
const logged: string[] = [];
const log = createLog('debug', {}, (line) => logged.push(line));
beforeEach(() => {
  folder = temporaryFolder();
  logged.length = 0;
});
afterEach(() => folder.remove());

async function failure(task: string, params: object): Promise<string> {
  const env = { PUNCTUAL_DATA: folder.path };
  const aws = { region: 'us-east-1' };
  const scripts = { name: 'refused', summary: '' } as const;
  const surroundings = { aws, schedulerPorts: () => new Set<number>(), log };
  const tasks = await localTasks(readLocalConfig(env), surroundings, scripts, env);
  const run = tasks.get(task)?.run(taskContext(params));
  return run?.then(
    () => expect.fail('it ran'),
    (error: Error) => `${error.message} ${error.stack?.split('\n')[0]}`,
  ) as Promise<string>;
}

const withSecret = () => failure('noop', { result: { $secret: 'token' } });
const signed = () => failure('http', { url: 'http://127.0.0.1:9/' });

describe('a run that needs', () => {
  it('a missing secret fails with its name, without a path', async () => {
    const message = await withSecret();
    expect(message).toContain('there is no secret "token" of this user in secrets.json');
    expect(message).not.toContain(folder.path);
  });

  it.each([
    ['secrets in a file that is no JSON', 'secrets.json', '{', withSecret],
    ['secrets in a file of another shape', 'secrets.json', '["x"]', withSecret],
    ['secrets in what is no file', 'secrets.json', undefined, withSecret],
    ['signing keys in a file that is no JSON', 'signing-keys.json', '{"keys": ["c2VjcmV0', signed],
    ['signing keys in what is no file', 'signing-keys.json', undefined, signed],
  ])('%s fails without the path; the log has it', async (_, name, content, run) => {
    const file = join(folder.path, name);
    if (content === undefined) mkdirSync(file);
    else writeFileSync(file, content);
    const message = await run();
    expect(message).toMatch(/cannot be read; the worker's log has the reason/);
    for (const hidden of [folder.path, name, 'c2VjcmV0']) expect(message).not.toContain(hidden);
    expect(logged.join()).toContain(file);
    expect(logged.join()).not.toContain('c2VjcmV0');
  });

  it.skipIf(process.getuid?.() === 0)('signing keys in a folder that it may not write', async () => {
    chmodSync(folder.path, 0o500);
    const message = await signed();
    chmodSync(folder.path, 0o700);
    expect(message).not.toContain(folder.path);
    expect(logged.join()).toContain(folder.path);
  });
});

describe('signing keys', () => {
  it('are created in a folder that no server has made yet', async () => {
    const dataFolder = join(folder.path, 'data');
    const keys = await localSigningKeys(dataFolder, 'me');
    expect(await localSigningKeys(dataFolder, 'me')).toEqual(keys);
    const modes = [dataFolder, join(dataFolder, 'signing-keys.json')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600]);
  });

  it('that cannot be created are named', async () => {
    mkdirSync(folder.path, { recursive: true });
    writeFileSync(join(folder.path, 'file'), '');
    await expect(localSigningKeys(join(folder.path, 'file/data'), 'me')).rejects.toThrow(
      /signing-keys\.json cannot be (read|created): /,
    );
  });
});
