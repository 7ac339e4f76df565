// The Lambda of the watcher. EventBridge invokes it every minute with a range of shards.
import { createWatcher } from './lambda.ts';

export const handler = createWatcher(process.env);
