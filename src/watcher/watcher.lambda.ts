// One pass of the watcher on Lambda. EventBridge calls it every minute with a range of shards.
import { createWatcher } from './lambda.ts';

export const handler = createWatcher(process.env);
