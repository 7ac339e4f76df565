// The explanation of one occurrence of a job, as the API shows it: whether it ran, and why not.
import { z } from 'zod';
import { isoTime } from './resource-schemas.ts';

/** Each verdict with its meaning. */
export const VERDICTS = {
  ran: 'a task has run, and succeeded or failed',
  running: 'a worker runs it now',
  waiting: 'it is due, and waits for another execution, a slot of its concurrency key or a free worker',
  retrying: 'an attempt has failed, and the next one is planned',
  skippedOverlap: 'another execution of the job was running, and `overlap` is `skip`',
  skippedMisfire: 'it was later than `misfire.graceSeconds`, and `misfire.policy` is `skip`',
  coveredByRunOnce:
    'it was missed, and one run stood for all that were missed (`misfire.policy` is `runOnce`)',
  cancelled: 'the execution or the job was cancelled',
  paused: 'the job was paused',
  edited: 'an edit of the schedule removed it, or added it later',
  notInSchedule: 'the schedule has no occurrence at this time',
  excluded: '`schedule.except` removes it',
  dstGap: 'clocks went forward and skipped this local time',
  beforeStart: 'it is before `schedule.startAt`, or before the job was created',
  afterEnd: 'it is after `schedule.endAt`',
  notYetDue: 'it is in the future',
  notDispatched: 'it is due, and the watcher has not sent it to the workers yet',
  noWorker: 'it was sent to the workers, and no worker is alive',
  beingRecovered: 'its worker or its message was lost, and it is sent again',
  noRecord: 'it was due, and no execution is recorded: records are removed after the retention',
} as const;

export type Verdict = keyof typeof VERDICTS;

const words = Object.keys(VERDICTS) as [Verdict, ...Verdict[]];

const evidenceShape = z.strictObject({
  what: z.string(),
  at: isoTime,
  href: z.string().optional().describe('path of this API where it can be read'),
});

export type Evidence = z.infer<typeof evidenceShape>;

export const explanationShape = z
  .strictObject({
    verdict: z
      .enum(words)
      .describe(words.map((verdict) => `\`${verdict}\`: ${VERDICTS[verdict]}`).join('. ')),
    because: z.string().describe('one sentence with the times and numbers'),
    dueAt: isoTime
      .optional()
      .describe(
        'due time of the occurrence that is explained: the one nearest to `at`; absent if none is near',
      ),
    evidence: z.array(evidenceShape).describe('what the verdict rests on'),
    next: isoTime
      .optional()
      .describe('the next occurrence after both now and `at`; absent if the job has none'),
    searchingSince: isoTime
      .optional()
      .describe('present instead of `next` while the next occurrence is searched for, as in a job'),
  })
  .meta({
    id: 'Explanation',
    examples: [
      {
        verdict: 'paused',
        because:
          'ann paused the job at 2026-12-01T09:12:44.120Z ("the receiver is being moved"), until it is resumed.',
        dueAt: '2026-12-01T10:00:00.000Z',
        evidence: [
          {
            what: 'paused by ann: the receiver is being moved',
            at: '2026-12-01T09:12:44.120Z',
            href: '/jobs/job_4fGh7Kx0QpLmN2sT9vWz/changes',
          },
        ],
      },
    ],
  });

export type ExplanationView = z.infer<typeof explanationShape>;
