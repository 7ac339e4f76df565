// `punctual/cdk`: the construct and what a CDK app passes to it.
export { acknowledgeFindings } from './operations/nag-suppressions.ts';
export { Punctual, type PunctualProps } from './punctual.ts';
export { PunctualStack, type PunctualStackProps } from './punctual-stack.ts';
export { settingsFromContext } from './settings/context.ts';
export { type DeploymentSettings, SettingsError } from './settings/settings.ts';
