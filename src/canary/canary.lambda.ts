// The Lambda of the canary. EventBridge invokes it every minute.
import { createCanary } from './lambda.ts';

export const handler = createCanary(process.env);
