// Flags for the policies of a job: retries, misfires and notifications.
import type { JobInput } from '../client/client.ts';
import { type Options, UsageError, type Values } from './command.ts';
import { millisecondsOf } from './times.ts';

export const POLICY_FLAGS = {
  'max-attempts': { type: 'string', value: '<n>', about: 'maximum number of attempts per execution' },
  backoff: {
    type: 'string',
    value: '<duration>',
    about: 'delay before the second attempt; it doubles with each attempt: 2s, 1m',
  },
  'max-backoff': { type: 'string', value: '<duration>', about: 'longest delay between attempts: 15m' },
  misfire: { type: 'string', value: '<runAll|runOnce|skip>', about: 'policy for missed occurrences' },
  'misfire-grace': {
    type: 'string',
    value: '<duration>',
    about: 'an occurrence that starts later than this was missed: 60s, 1h',
  },
  notify: {
    type: 'string',
    multiple: true,
    value: '<events=target>',
    about: "notify a URL, an e-mail address or an SNS topic: 'failed,late=https://example.com/hook'",
  },
} as const satisfies Options;

type PolicyFields = Pick<Partial<JobInput>, 'retry' | 'misfire' | 'notify'>;

/** The fields that were given. A field of `retry` and `misfire` that was not given keeps the value of the file. */
export function policyFields(values: Values<typeof POLICY_FLAGS>, fromFile: PolicyFields): PolicyFields {
  const retry = given({
    maxAttempts: numberOf(values['max-attempts'], '--max-attempts'),
    backoffSeconds: secondsOf(values.backoff, '--backoff'),
    maxBackoffSeconds: secondsOf(values['max-backoff'], '--max-backoff'),
  });
  const misfire = given({
    // the server validates the policy
    policy: values.misfire as 'skip' | undefined,
    graceSeconds: secondsOf(values['misfire-grace'], '--misfire-grace'),
  });
  return {
    ...(retry && { retry: { ...fromFile.retry, ...retry } }),
    ...(misfire && { misfire: { ...fromFile.misfire, ...misfire } }),
    ...(values.notify && { notify: values.notify.map(notifyOf) }),
  };
}

/** The values that are not undefined. Undefined if there are none. */
function given<T extends object>(fields: T): T | undefined {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : (Object.fromEntries(present) as T);
}

function numberOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new UsageError(`${option} must be a number, got ${JSON.stringify(text)}`);
  return number;
}

/** A number alone is in seconds. */
const secondsOf = (text: string | undefined, option: string): number | undefined =>
  text === undefined || /^\d+(\.\d+)?$/.test(text)
    ? numberOf(text, option)
    : millisecondsOf(text, option) / 1000;

type Notify = NonNullable<JobInput['notify']>[number];

/** `failed,late=ops@example.com`. The kind of target follows from its form. */
export function notifyOf(text: string): Notify {
  const [, events = '', target = ''] = /^([a-z,\s]+)=(.+)$/s.exec(text) ?? [];
  // the server validates the events
  const on = events.split(',').map((event) => event.trim()) as Notify['on'];
  if (/^https?:/i.test(target)) return { on, webhook: { url: target } };
  if (/^arn:/.test(target)) return { on, sns: { topicArn: target } };
  if (/^[^@\s]+@[^@\s]+$/.test(target)) return { on, email: { to: target } };
  throw new UsageError(
    `--notify must be events=target with a URL, an e-mail address or the ARN of an SNS topic, such as failed,late=https://example.com/hook; got ${JSON.stringify(text)}`,
  );
}
