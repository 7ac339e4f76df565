// The workflows of .github: what they call exists, and they have no more rights than they need.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly permissions?: unknown;
  readonly strategy?: { readonly matrix?: { readonly include?: readonly Record<string, string>[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions?: unknown;
  readonly concurrency?: { readonly group?: string };
  readonly jobs: Readonly<Record<string, Job>>;
}

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, '.github', 'workflows');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** npm commands that are not scripts. */
const BUILT_IN = ['ci', 'test', 'install', 'publish', 'pack', 'audit', 'exec'];

const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

/** The commands of a workflow, also those that a matrix fills in. */
function commandsOf(workflow: Workflow): string[] {
  const inMatrix = Object.values(workflow.jobs).flatMap(({ strategy }) =>
    (strategy?.matrix?.include ?? []).flatMap((one) => Object.values(one)),
  );
  return [...stepsOf(workflow).flatMap(({ run }) => run ?? []), ...inMatrix];
}

describe.each(readdirSync(FOLDER).filter((file) => file.endsWith('.yml')))('the workflow %s', (file) => {
  const workflow = parse(readFileSync(join(FOLDER, file), 'utf8')) as Workflow;

  it('may only read the repository, and runs once per branch', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { permissions } of Object.values(workflow.jobs)) expect(permissions).toBeUndefined();
    expect(workflow.concurrency?.group).toContain('github.ref');
  });

  it('ends every job after a timeout', () => {
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
  });

  it('pins actions by major version', () => {
    for (const { uses } of stepsOf(workflow).filter((step) => step.uses !== undefined))
      expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
  });

  it('calls npm scripts that exist', () => {
    const called = commandsOf(workflow).flatMap((command) =>
      [...command.matchAll(/\bnpm (?:run (?:-\S+ )*([\w:-]+)|([\w-]+))/g)].flatMap(
        ([, script, builtIn = '']) =>
          script === undefined && builtIn !== 'test' && BUILT_IN.includes(builtIn) ? [] : [script ?? builtIn],
      ),
    );
    expect(called.length).toBeGreaterThan(0);
    expect(called.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const named = commandsOf(workflow).flatMap(
      (command) => command.match(/(?<=\s)(?:test|\.ci)\/[\w./-]+/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('calls vitest projects that exist', () => {
    const config = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8');
    for (const command of commandsOf(workflow)) {
      for (const [, project = ''] of command.matchAll(/--project=(\w+)/g))
        expect(config).toContain(`name: '${project}'`);
    }
  });
});
