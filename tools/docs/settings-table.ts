// The tables of the deployment's settings: meaning and default from the props of the construct, values from the schema.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { api } from '../../lib/settings/api.ts';
import { data } from '../../lib/settings/data.ts';
import { limits } from '../../lib/settings/limits.ts';
import { load } from '../../lib/settings/load.ts';
import { network } from '../../lib/settings/network.ts';
import { operations } from '../../lib/settings/operations.ts';
import { tasks } from '../../lib/settings/tasks.ts';
import { workers } from '../../lib/settings/workers.ts';

const TOPICS: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  'Name and load': load,
  Workers: workers,
  Network: network,
  'API and users': api,
  'Limits per owner': limits,
  'Tables and data': data,
  Tasks: tasks,
  Operations: operations,
};

interface Documented {
  readonly meaning: string;
  readonly byDefault: string;
}

const PROP = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)\?:/g;

/** The doc comments of SettingProps, by setting. */
function documented(): ReadonlyMap<string, Documented> {
  const file = resolve(import.meta.dirname, '../../lib/settings/setting-props.ts');
  return new Map(
    [...readFileSync(file, 'utf8').matchAll(PROP)].map(([, comment = '', name = '']) => {
      const text = comment
        .replace(/^\s*\* ?/gm, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      const [meaning = '', byDefault = ''] = text.split('@default');
      return [name, { meaning: meaning.trim(), byDefault: defaultText(byDefault.trim()) }];
    }),
  );
}

/** A default that begins with "- " is a sentence. Others are values, some of them with quotes. */
const defaultText = (text: string): string =>
  text.startsWith('- ') ? text.slice(2) : /\s/.test(text) ? text : `\`${text.replaceAll("'", '')}\``;

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

function valuesOf(schema: z.ZodType): string {
  const { type, enum: options, minimum, maximum } = z.toJSONSchema(schema, { io: 'input' }) as Schema;
  if (options) return options.map((option) => `\`${option}\``).join(' ');
  if (type === 'boolean') return '`true` `false`';
  if (type === 'array') return 'a list';
  if (type === 'integer' || type === 'number')
    return `${minimum?.toLocaleString('en')} to ${maximum?.toLocaleString('en')}`;
  return 'a text';
}

export function settingsTables(): string {
  const docs = documented();
  return Object.entries(TOPICS)
    .map(([topic, settings]) => {
      const rows = Object.entries(settings).map(([name, schema]) => {
        const found = docs.get(name);
        if (!found) throw new Error(`lib/settings/setting-props.ts has no doc comment for ${name}`);
        const cells = [`\`${name}\``, found.meaning, valuesOf(schema), found.byDefault];
        return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
      });
      return [`### ${topic}`, '| setting | meaning | values | default |', '|---|---|---|---|', ...rows].join(
        '\n',
      );
    })
    .join('\n\n');
}
