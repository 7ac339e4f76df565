// The jobs that benchmarks create.
export const USER = 'bench';
const TASK = 'bench';

export type Spec = Record<string, unknown>;

export const onceAt = (at: number, params: Spec = {}): Spec => ({
  task: TASK,
  params,
  schedule: { at: new Date(at).toISOString() },
});

/** All jobs have the same due times, whenever they were created. */
export const EVERY_SECOND: Spec = { task: TASK, schedule: { cron: '* * * * * *' } };
/** Each occurrence runs, however late, and one after the other. */
export const EVERY_SECOND_IN_TURN: Spec = {
  ...EVERY_SECOND,
  overlap: 'queue',
  misfire: { policy: 'runAll', graceSeconds: 0 },
};
