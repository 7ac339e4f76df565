// Jobs that an empty console offers. They do nothing, so they are safe everywhere, and show what a schedule and a retry are.
import type { JobInput } from '../../src/client/types.ts';

export interface Example {
  readonly title: string;
  readonly about: string;
  readonly job: JobInput;
}

/** `timezone` is that of the browser. */
export const examples = (timezone: string): readonly Example[] => [
  {
    title: 'Every ten seconds',
    about:
      'Runs at once and then every ten seconds. Its strip fills within minutes, and shows how late each start was.',
    job: { name: 'every-ten-seconds', task: 'noop', schedule: { every: 'PT10S' }, tags: { example: 'yes' } },
  },
  {
    title: 'Weekdays at nine',
    about: `Runs at 09:00 from Monday to Friday, ${timezone} time. A change of the clock does not move it.`,
    job: {
      name: 'weekdays-at-nine',
      task: 'noop',
      schedule: { cron: '0 9 * * MON-FRI', timezone },
      tags: { example: 'yes' },
    },
  },
  {
    title: 'Fails twice, then succeeds',
    about: 'Runs every minute. Two attempts fail, and the third one succeeds after a delay that doubles.',
    job: {
      name: 'fails-twice',
      task: 'noop',
      params: { failTimes: 2 },
      schedule: { every: 'PT1M' },
      retry: { maxAttempts: 3, backoffSeconds: 2 },
      tags: { example: 'yes' },
    },
  },
];
