// `npm start`.
import { run } from './run.ts';
import { start } from './start.ts';
import { answerHelp } from './usage.ts';

await run(async (running) => {
  answerHelp(
    'npm start',
    'Runs the whole scheduler in this process: API, watcher, worker and notifier on one SQLite file.\nWith AWS_ENDPOINT_URL, on the DynamoDB tables and SQS queues behind that endpoint.',
  );
  await start(running);
});
