// The CDK app. It has one stack, with the settings of the CDK context:
// `npx cdk deploy -c punctual:stage=prod -c punctual:shards=64`.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { PunctualStack } from '../lib/punctual-stack.ts';
import { settingsFromContext } from '../lib/settings/context.ts';
import { readSettings, SettingsError } from '../lib/settings/settings.ts';

const app = new App();
try {
  const given = settingsFromContext(app.node);
  const { stage } = readSettings(given);
  new PunctualStack(app, 'Punctual', { stackName: `punctual-${stage}`, punctual: given });
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message.replace(/^/gm, 'punctual:'));
  process.exit(1);
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
