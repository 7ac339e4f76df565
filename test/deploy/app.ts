// The app that `npm run test:deploy` deploys to an emulator: the stack as it is, with an image that nobody has to build.
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
