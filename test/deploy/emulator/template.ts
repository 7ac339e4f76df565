// Takes out of a synthesized template what the emulator does not know, and what refers to it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNKNOWN } from './differences.ts';

// biome-ignore lint/suspicious/noExplicitAny: the properties of a resource depend on its type
type Properties = any;
export interface Resource {
  readonly Type: string;
  readonly Properties?: Properties;
  readonly Metadata?: { readonly 'aws:cdk:path'?: string };
  DependsOn?: string | string[];
}
export interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown }>;
}

export interface Stripped {
  readonly template: Template;
  /** The resources that were taken out, by logical id. */
  readonly removed: Readonly<Record<string, Resource>>;
  /** The resources that refer to one that was taken out. The reference was replaced by a text. */
  readonly changed: readonly string[];
}

export const isUnknown = ({ Type, Properties = {} }: Resource): boolean =>
  UNKNOWN.some(({ type, property }) => type === Type && (property === undefined || property in Properties));

/** Replaces references to resources that were taken out. */
const PLACEHOLDER = 'not-on-the-emulator';

export function strip(template: Template): Stripped {
  const entries = Object.entries(template.Resources);
  const removed = Object.fromEntries(entries.filter(([, resource]) => isUnknown(resource)));
  const gone = new Set(Object.keys(removed));
  const changed: string[] = [];
  const kept = entries
    .filter(([id]) => !gone.has(id))
    .map(([id, { DependsOn, ...resource }]): [string, Resource] => {
      const dependsOn = [DependsOn ?? []].flat().filter((other) => !gone.has(other));
      const without = withoutReferences(resource, gone) as Resource;
      if (JSON.stringify(without) !== JSON.stringify(resource)) changed.push(id);
      return [id, dependsOn.length > 0 ? { ...without, DependsOn: dependsOn } : without];
    });
  return { template: { ...template, Resources: Object.fromEntries(kept) }, removed, changed };
}

function withoutReferences(value: unknown, gone: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, gone));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: string | string[] };
  const target = Ref ?? (Array.isArray(attribute) ? attribute[0] : attribute?.split('.')[0]);
  if (target !== undefined && gone.has(target)) return PLACEHOLDER;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutReferences(item, gone)]));
}

export const templatePath = (assembly: string, id: string): string => join(assembly, `${id}.template.json`);
export const readTemplate = (path: string): Template => JSON.parse(readFileSync(path, 'utf8')) as Template;
export const writeTemplate = (path: string, template: Template): void =>
  writeFileSync(path, JSON.stringify(template, null, 1));
