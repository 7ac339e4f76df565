// Follows the Dockerfile without Docker: the stage is a folder, and each COPY a copy. An unknown line is an error, so that no line is
// skipped. RUN is unknown: the image shall need no emulation of another platform.
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

export interface Image {
  /** The root folder of the last stage. */
  readonly root: string;
  readonly workdir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly base: string;
}

/** `context` is the build context. */
export function followDockerfile(context: string, folder: string): Image {
  const lines = readFileSync(join(context, 'Dockerfile'), 'utf8')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const stages = new Map<string, string>();
  const args: Record<string, string> = {};
  let root = '';
  let image = {
    workdir: '/',
    environment: {},
    user: 'root',
    entrypoint: [],
    command: [],
    volumes: [],
    base: '',
  } as Omit<Image, 'root'>;
  const inStage = (path: string) => join(root, isAbsolute(path) ? path : join(image.workdir, path));

  for (const line of lines) {
    const [instruction = '', ...words] = line.split(/\s+/);
    const rest = words.join(' ');
    switch (instruction) {
      case 'ARG': {
        const [name, value] = pair(rest);
        args[name] = value;
        break;
      }
      case 'FROM': {
        root = join(folder, `stage-${stages.size}`);
        mkdirSync(root, { recursive: true });
        const [base = '', , stage = 'last'] = words.filter((word) => !word.startsWith('--'));
        stages.set(stage, root);
        image = {
          ...image,
          workdir: '/',
          environment: {},
          base: base.replace(/\$\{(\w+)\}/g, (_, name) => args[name] ?? ''),
        };
        break;
      }
      case 'WORKDIR':
        image = { ...image, workdir: rest };
        mkdirSync(inStage('.'), { recursive: true });
        break;
      case 'COPY': {
        const stage = /^--from=(\S+)/.exec(rest)?.[1];
        const paths = words.filter((word) => !word.startsWith('--'));
        const to = paths.pop() ?? '';
        const from = stage === undefined ? context : (stages.get(stage) ?? '');
        for (const path of paths) {
          const isFile = to.endsWith('/') && basename(path).includes('.');
          const target = inStage(isFile ? join(to, basename(path)) : to);
          mkdirSync(dirname(target), { recursive: true });
          cpSync(join(from, path), target, { recursive: true });
        }
        break;
      }
      case 'ENV':
        image = { ...image, environment: { ...image.environment, ...Object.fromEntries(words.map(pair)) } };
        break;
      case 'USER':
        image = { ...image, user: rest };
        break;
      case 'VOLUME':
        image = { ...image, volumes: [...image.volumes, rest] };
        break;
      case 'ENTRYPOINT':
        image = { ...image, entrypoint: JSON.parse(rest) };
        break;
      case 'CMD':
        image = { ...image, command: JSON.parse(rest) };
        break;
      case 'HEALTHCHECK':
        break;
      default:
        throw new Error(`not understood: ${line}`);
    }
  }
  return { root, ...image };
}

const pair = (word: string): [string, string] => {
  const [name = '', ...value] = word.split('=');
  return [name, value.join('=')];
};
