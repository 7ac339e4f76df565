// The entry point of `npm start`.
import { runProcess } from './process-lifecycle.ts';
import { startLocal } from './start-local.ts';
import { handleHelp } from './usage.ts';

await runProcess(async (lifecycle) => {
  handleHelp(
    'npm start',
    'Runs the whole scheduler in this process: API, watcher, worker and notifier on one SQLite file.\nWith AWS_ENDPOINT_URL, on the DynamoDB tables and SQS queues behind that endpoint.',
  );
  await startLocal(lifecycle);
});
