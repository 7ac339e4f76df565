// The app that `npm run test:deploy` deploys to an emulator: the real stack, with an image that needs no build.
import { App } from 'aws-cdk-lib';
import { ContainerImage } from 'aws-cdk-lib/aws-ecs';
import { PunctualStack } from '../../lib/punctual-stack.ts';
import { settingsFromContext } from '../../lib/settings/context.ts';

const app = new App();
new PunctualStack(app, 'Punctual', {
  stackName: 'punctual-emulated',
  punctual: { ...settingsFromContext(app.node), workerImage: ContainerImage.fromRegistry('scratch') },
});
app.synth();
