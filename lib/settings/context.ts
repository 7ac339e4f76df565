// Settings from CDK's context: `-c punctual:shards=64`, or `"punctual:shards": 64` in cdk.json.
import type { Node } from 'constructs';
import type { z } from 'zod';
import type { SettingProps } from './setting-props.ts';
import { settingsSchema } from './settings.ts';

const PREFIX = 'punctual:';

/** The settings of the context. Items of a list are separated by commas. */
export function settingsFromContext(node: Node): SettingProps {
  const context = Object.entries<unknown>(node.getAllContext()).filter(([key]) => key.startsWith(PREFIX));
  return Object.fromEntries(
    context.map(([key, value]) => {
      const setting = key.slice(PREFIX.length);
      return [setting, typeof value === 'string' ? fromText(setting, value) : value];
    }),
  ) as SettingProps;
}

/** Converts a text of the command line. A text that is not a number stays a text, so that the error can quote it. */
function fromText(setting: string, text: string): unknown {
  const schema: z.ZodType | undefined = settingsSchema.shape[setting as keyof typeof settingsSchema.shape];
  const accepts = (value: unknown) => schema?.safeParse(value).success === true;
  if (accepts(text)) return text;
  const list = text.split(',').map((item) => item.trim());
  if (accepts(list)) return list;
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
