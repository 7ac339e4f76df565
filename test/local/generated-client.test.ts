// An independent client: types generated from /openapi.json by openapi-typescript, requests by openapi-fetch. It is
// compiled, and then drives a real local server.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypescript, { type OpenAPI3 } from 'openapi-typescript';
import { afterEach, expect, it } from 'vitest';
import { signToken, tokenKey } from '../../src/local/tokens.ts';
import { type Folder, startLocal, temporaryFolder } from '../support/processes.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
/** Inside of the checkout, so that the compiler finds the packages. */
const work = join(ROOT, 'node_modules/.cache/punctual-generated-client');

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
afterEach(async () => {
  await local?.stop('SIGKILL');
  folder?.remove();
  rmSync(work, { recursive: true, force: true });
});

const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './api.ts';

const [url = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${token}\` } });

const created = await client.POST('/jobs', {
  params: { header: { 'idempotency-key': 'generated' } },
  body: { task: 'noop', name: 'generated', schedule: { every: 'PT1H' } },
});
if (!created.data || !('version' in created.data)) throw new Error(JSON.stringify(created.error));
const { id } = created.data;

const listed = await client.GET('/jobs', { params: { query: { status: 'active', limit: 10 } } });
const names = listed.data?.items.map((job) => job.name);

const edited = await client.PATCH('/jobs/{id}', {
  params: { path: { id }, header: { 'if-match': '"1"' } },
  body: { name: 'edited', retry: { maxAttempts: 5 } },
});
const stale = await client.PATCH('/jobs/{id}', {
  params: { path: { id }, header: { 'if-match': '"1"' } },
  body: { name: 'too late' },
});
const cancelled = await client.DELETE('/jobs/{id}', { params: { path: { id } } });
const after = await client.GET('/jobs/{id}', { params: { path: { id } } });

console.log(JSON.stringify({
  created: created.response.status,
  names,
  edited: [edited.data?.name, edited.data?.retry.maxAttempts, edited.data?.version],
  stale: [stale.response.status, stale.error?.title],
  cancelled: cancelled.response.status,
  after: after.data?.status,
}));
`;

it('a client that a public generator made creates, lists, edits and cancels a job', async () => {
  folder = temporaryFolder();
  local = await startLocal(folder.path);
  const document = (await (await fetch(`${local.url}/openapi.json`)).json()) as OpenAPI3;
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'api.ts'), await openapiTypescript(document));
  writeFileSync(join(work, 'program.ts'), PROGRAM);
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  };
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(work, 'package.json'), '{ "type": "module" }');

  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: work, encoding: 'utf8', stdio: 'pipe' });
  run(tsc, '-p', 'tsconfig.json');

  // Node strips types outside of node_modules only
  const { stripTypeScriptTypes } = await import('node:module');
  writeFileSync(join(work, 'program.mjs'), stripTypeScriptTypes(PROGRAM));
  const token = await signToken(await tokenKey(folder.path), 'alice');
  expect(JSON.parse(run('program.mjs', local.url, token))).toEqual({
    created: 201,
    names: ['generated'],
    edited: ['edited', 5, 2],
    stale: [412, 'Precondition failed'],
    cancelled: 204,
    after: 'cancelled',
  });
});
