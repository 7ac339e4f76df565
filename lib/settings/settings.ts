// The settings of a deployment: every one with its range and its default, for props and for `cdk -c punctual:<name>=…`
// alike. A wrong one stops the synthesis with a sentence. (The folder has them by subject.)
import { z } from 'zod';
import { parse } from '../../src/domain/validation/validation.ts';
import { api } from './api.ts';
import { contradictions } from './contradictions.ts';
import { data } from './data.ts';
import { load } from './load.ts';
import { network } from './network.ts';
import { operations } from './operations.ts';
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
  ...data,
  ...tasks,
  ...operations,
});

export type SettingsInput = z.input<typeof settingsSchema>;
export type DeploymentSettings = Readonly<z.output<typeof settingsSchema>>;

/** With every default, or a SettingsError with a sentence for each mistake. */
export function readSettings(given: SettingsInput): DeploymentSettings {
  const { value, errors } = parse(settingsSchema, given);
  if (errors) throw new SettingsError(errors.map(({ path, message }) => `${path} ${message}`).join('\n'));
  const wrong = contradictions(value);
  if (wrong.length > 0) throw new SettingsError(wrong.join('\n'));
  return value;
}
