// `npm run notifier`: the notifier in a process of its own, for workers that have none, such as those of the image.
import { localLog, startLocalNotifier } from './components.ts';
import { readLocalConfig } from './config.ts';
import { connect } from './connect.ts';
import { findEngines } from './engines.ts';
import { refuseUnknownVariables } from './known-variables.ts';
import { runProcess } from './process-lifecycle.ts';
import { handleHelp } from './usage.ts';

await runProcess(async (lifecycle) => {
  handleHelp(
    'npm run notifier',
    'Runs a notifier. Requires the engines of `npm run start:aws` or `npm run engines`, or AWS_ENDPOINT_URL.',
  );
  refuseUnknownVariables(process.env);
  const config = readLocalConfig(process.env);
  const backend = await connect(config, await findEngines(config), lifecycle, localLog(config, 'notifier'));
  startLocalNotifier(config, backend, lifecycle);
  console.log('The notifier waits for notifications');
});
