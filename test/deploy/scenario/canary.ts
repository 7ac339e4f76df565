// The canary, invoked by its rule: a pass creates a job through the API, and finds that its job of two minutes before has run.
import { until } from '../../support/until.ts';
import { holds } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import type { Step } from '../report.ts';
import { logLines } from './roles.ts';

/** A pass every minute. The third one has a job to check. */
const WAIT = { withinMs: 300_000, everyMs: 5_000 };

export async function canarySucceeds(deployment: Deployment, step: Step): Promise<void> {
  await step('the canary creates jobs through the API and finds that they ran', async (note) => {
    let lines: string[] = [];
    await until(
      'a pass of the canary has succeeded',
      async () => {
        lines = await logLines(deployment);
        return lines.some((line) => line.includes('canary pass finished') && /"succeeded": ?true/.test(line));
      },
      { ...WAIT, detail: () => lines.filter((line) => line.includes('canary')).join('\n') },
    );
    holds(
      lines.some((line) => line.includes('"CanarySucceeded"') && line.includes('CloudWatchMetrics')),
      'a log line has the metrics of the canary',
    );
    note(`${lines.filter((line) => line.includes('canary pass finished')).length} passes`);
  });
}
