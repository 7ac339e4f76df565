// The query service: the operations that read.
import { cloudWatchTelemetry } from './cloudwatch-telemetry.ts';
import { createService } from './lambda.ts';

export const handler = createService('query', process.env, cloudWatchTelemetry);
