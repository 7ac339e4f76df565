// The workflows of .github: what they call exists, and they have no more rights than they need.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly needs?: string | readonly string[];
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

/** The rights of jobs beyond reading the repository. */
const MORE_RIGHTS: Readonly<Record<string, unknown>> = {
  'release.yml': {
    publish: { 'id-token': 'write' },
    image: { packages: 'write' },
    notes: { contents: 'write' },
  },
};

/** npm commands that are not scripts. */
const BUILT_IN = ['ci', 'test', 'install', 'publish', 'pack', 'pkg', 'audit', 'exec'];

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

  it('may only read the repository unless a job needs more, and runs once per branch', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const permissions = Object.entries(workflow.jobs).flatMap(([name, job]) =>
      job.permissions === undefined ? [] : [[name, job.permissions]],
    );
    expect(Object.fromEntries(permissions)).toEqual(MORE_RIGHTS[file] ?? {});
    expect(workflow.concurrency?.group).toContain('github.ref');
  });

  it('ends every job after a timeout', () => {
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
  });

  it('pins actions by commit, and says which version it is', () => {
    const uses = readFileSync(join(FOLDER, file), 'utf8').match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const used of uses) expect(used).toMatch(/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
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
      (command) => command.match(/(?<=\s)(?:test|model|\.ci)\/[\w./-]+/g) ?? [],
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

describe('the release', () => {
  const { jobs } = parse(readFileSync(join(FOLDER, 'release.yml'), 'utf8')) as Workflow;
  const commands = (job: string) => jobs[job]?.steps.flatMap(({ run }) => run ?? []) ?? [];

  it('publishes what was packed after the tests, with provenance', () => {
    const tested = commands('package').indexOf('npm run test:package');
    expect(tested).toBeGreaterThan(-1);
    expect(commands('package').findIndex((run) => run.includes('npm pack'))).toBeGreaterThan(tested);
    expect(jobs.publish?.needs).toBe('package');
    expect(commands('publish')).toEqual([
      'npm publish --provenance --access public --ignore-scripts ./packed/*.tgz',
    ]);
  });

  // Code of a dependency that runs in such a job could publish in our name.
  it.each(Object.keys(MORE_RIGHTS['release.yml'] as object))(
    'runs neither an installation nor a test in the job "%s", which has more rights',
    (job) => {
      expect(commands(job).join('\n')).not.toMatch(
        /\bnpm (ci|i|install|test|run|exec|pack)\b|\bnpx\b|vitest/,
      );
    },
  );

  it('names the repository in package.json first, because npm compares it with the provenance', () => {
    const [folder, name] = [mkdtempSync(join(tmpdir(), 'punctual-workflow-')), 'package.json'];
    try {
      cpSync(join(ROOT, name), join(folder, name));
      const before = commands('package').slice(
        0,
        commands('package').findIndex((run) => run.includes('npm pack')),
      );
      const command = before.find((run) => run.includes('repository.url')) ?? 'false';
      const env = {
        ...process.env,
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'ann/punctual',
      };
      execFileSync('bash', ['-ec', command], { cwd: folder, env, stdio: 'pipe' });
      expect(JSON.parse(readFileSync(join(folder, name), 'utf8')).repository).toEqual({
        type: 'git',
        url: 'git+https://github.com/ann/punctual.git',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('builds the image from the Dockerfile and the bundle of the worker', () => {
    expect(commands('package').join('\n')).toMatch(
      /cp Dockerfile image\/[\s\S]*bundle\.ts worker image\/app image\/no-tasks/,
    );
  });
});

describe('the pipeline of examples/github-actions', () => {
  const folder = join(ROOT, 'examples/github-actions');
  const workflow = parse(readFileSync(join(folder, '.github/workflows/jobs.yml'), 'utf8')) as Workflow;
  const commands = (job: string) =>
    (workflow.jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []).join('\n');

  it('gets credentials by OIDC, and reads the repository only', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { permissions, steps } of Object.values(workflow.jobs)) {
      expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
      expect(steps.some(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials@'))).toBe(true);
    }
  });

  it('shows differences on pull requests, and deploys stage by stage', () => {
    expect(commands('plan')).toMatch(/cdk diff[\s\S]*punctual plan -f jobs\.yaml/);
    expect(commands('plan')).not.toMatch(/cdk deploy|punctual apply/);
    expect(commands('deploy')).toMatch(/cdk deploy[\s\S]*punctual apply -f jobs\.yaml/);
    expect(workflow.jobs.deploy?.strategy).toMatchObject({
      'max-parallel': 1,
      matrix: { stage: ['dev', 'prod'] },
    });
  });

  it('applies a file with a version, a namespace and jobs', () => {
    const file = parse(readFileSync(join(folder, 'jobs.yaml'), 'utf8'));
    expect(file).toMatchObject({ version: 1, namespace: 'billing' });
    expect(Object.keys(file.jobs)).toEqual(['nightly-report', 'heartbeat']);
  });
});
