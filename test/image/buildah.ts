// Builds images with buildah, in a storage of its own that is removed with its folder. Needs no daemon.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '../deploy/cleanup.ts';

const TIMEOUT_MS = 600_000;

export const hasBuildah = (): boolean => {
  try {
    execFileSync('buildah', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

export interface Buildah {
  /** Makes an image of a folder. */
  importFolder(folder: string, name: string, env: Readonly<Record<string, string>>): Promise<void>;
  build(context: string, name: string, base: string): Promise<void>;
  config(name: string): Promise<ImageConfig>;
  /** The path of the image's file system. */
  mount(name: string): Promise<string>;
}

export function createBuildah(cleanup: Cleanup): Buildah {
  const folder = cleanup.folder('buildah');
  for (const name of ['root', 'run', 'tmp']) mkdirSync(join(folder, name));
  // vfs needs no overlay file system, which containers often do not have.
  const storage = [
    '--root',
    join(folder, 'root'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ];
  const buildah = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, TMPDIR: join(folder, 'tmp'), BUILDAH_ISOLATION: 'chroot' };
    const { stdout } = await promisify(execFile)('buildah', [...storage, ...args], {
      env,
      timeout: TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout.trim();
  };
  return {
    async importFolder(files, name, env) {
      const container = await buildah('from', 'scratch');
      await buildah('copy', '--quiet', container, files, '/');
      const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
      await buildah('config', ...variables, container);
      await buildah('commit', '--quiet', '--rm', container, name);
    },
    async build(context, name, base) {
      // The OCI format has no health checks.
      await buildah(
        'build',
        '--quiet',
        '--format',
        'docker',
        '--build-arg',
        `BASE=${base}`,
        '--tag',
        name,
        context,
      );
    },
    async config(name) {
      const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', name)) as {
        Docker: { config: ImageConfig };
      };
      return Docker.config;
    },
    async mount(name) {
      const container = await buildah('from', name);
      cleanup.add(() => buildah('rm', container));
      return buildah('mount', container);
    },
  };
}
