// The texts of the actions on jobs, for one and for many.
export const JOB_ACTIONS = ['run', 'pause', 'resume', 'cancel'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

interface ActionText {
  readonly verb: string;
  readonly effect: string;
  /** True if a dialog comes first even for one job. */
  readonly asks: boolean;
}

export const ACTION_TEXTS: Readonly<Record<JobAction, ActionText>> = {
  run: {
    verb: 'Run',
    effect: 'Each job starts once, now, in addition to its schedule.',
    asks: false,
  },
  pause: {
    verb: 'Pause',
    effect: 'Nothing starts until the job is resumed. Runs that have started go on.',
    asks: true,
  },
  resume: {
    verb: 'Resume',
    effect: 'The schedule goes on with the next time. Times during the pause are not made up for.',
    asks: false,
  },
  cancel: {
    verb: 'Cancel',
    effect: 'The job ends for good, and so does a run that has started. The record of its runs stays.',
    asks: true,
  },
};

/** "1 job", "12 jobs", "1000+ jobs". */
export const countOfJobs = (count: number, more = false): string =>
  `${count}${more ? '+' : ''} ${count === 1 && !more ? 'job' : 'jobs'}`;

export const actionTitle = (action: JobAction, subject: string): string =>
  `${ACTION_TEXTS[action].verb} ${subject}`;
