// The settings of a deployment, each with its range and its default. They are props of the construct and values of the CDK
// context (`cdk -c punctual:<name>=…`). An invalid setting stops the synthesis with an error.
import { z } from 'zod';
import { parse } from '../../src/domain/validation/validation.ts';
import { api } from './api.ts';
import { contradictions } from './contradictions.ts';
import { data } from './data.ts';
import { limits } from './limits.ts';
import { load } from './load.ts';
import { network } from './network.ts';
import { operations } from './operations.ts';
import type { DeploymentSettings, SettingProps } from './setting-props.ts';
import { tasks } from './tasks.ts';
import { workers } from './workers.ts';

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export const settingsSchema = z.strictObject({
  ...load,
  ...workers,
  ...network,
  ...api,
  ...limits,
  ...data,
  ...tasks,
  ...operations,
});

export type { DeploymentSettings } from './setting-props.ts';

/** Does not compile if the schema and setting-props.ts have different settings or types. Add a new setting to both. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
true satisfies Same<Required<z.input<typeof settingsSchema>>, Required<SettingProps>>;
true satisfies Same<z.output<typeof settingsSchema>, DeploymentSettings>;

/** The settings with all defaults. Throws a SettingsError with one line for each invalid setting. */
export function readSettings(given: SettingProps): DeploymentSettings {
  const { value, errors } = parse(settingsSchema, given);
  if (errors) throw new SettingsError(errors.map(({ path, message }) => `${path} ${message}`).join('\n'));
  const wrong = contradictions(value);
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return value;
}
