// Generates state diagrams in Mermaid from the transition tables of the domain. This file has the cause of each transition.
// A transition without a cause is an error, and so is a cause without a transition.
import { ROW_TRANSITIONS } from '../../src/domain/executions/row.ts';
import { JOB_TRANSITIONS } from '../../src/domain/jobs/job.ts';

type Transitions = Readonly<Record<string, readonly string[]>>;
/** By `FROM TO`. */
type Causes = Readonly<Record<string, string>>;

const ROW_CAUSES: Causes = {
  'absent QUEUED': 'run now, backfill, or it waits for another execution',
  'absent RUNNING': 'claim',
  'absent SKIPPED': 'overlap skip, misfire',
  'absent CANCELLED': 'cancelled before its claim',
  'QUEUED QUEUED': 'it begins to wait',
  'QUEUED RUNNING': 'claim',
  'QUEUED SKIPPED': 'overlap skip, after a claim that did not start',
  'QUEUED CANCELLED': 'cancelled or withdrawn',
  'RUNNING QUEUED': 'given back, or lost before its start',
  'RUNNING RETRYING': 'failed, interrupted, lost or given back',
  'RUNNING SUCCEEDED': 'succeeded',
  'RUNNING FAILED': 'failed or lost, none left',
  'RUNNING CANCELLED': 'cancelled',
  'RETRYING RUNNING': 'next attempt',
  'RETRYING CANCELLED': 'cancelled',
  'FAILED QUEUED': 'retry, redrive',
  'SKIPPED QUEUED': 'retry',
  'CANCELLED QUEUED': 'retry',
};

const JOB_CAUSES: Causes = {
  'absent active': 'create',
  'absent paused': 'create by name, as paused',
  'active active': 'pause with an end, resume before that end',
  'active paused': 'pause',
  'active completed': 'its only occurrence ended',
  'active failed': 'its only occurrence failed',
  'active cancelled': 'cancel',
  'paused active': 'resume, pause with an end',
  'paused cancelled': 'cancel',
  'completed cancelled': 'cancel',
  'failed cancelled': 'cancel',
};

export function stateDiagram(transitions: Transitions, causes: Causes): string {
  const unused = new Set(Object.keys(causes));
  const lines = Object.entries(transitions).flatMap(([from, targets]) =>
    targets.map((to) => {
      const cause = causes[`${from} ${to}`];
      if (cause === undefined) throw new Error(`the transition from ${from} to ${to} has no cause here`);
      unused.delete(`${from} ${to}`);
      return `  ${from === 'absent' ? '[*]' : from} --> ${to}: ${cause}`;
    }),
  );
  if (unused.size > 0) throw new Error(`no such transitions: ${[...unused].join(', ')}`);
  const ends = Object.keys(transitions).filter((state) => transitions[state]?.length === 0);
  return ['stateDiagram-v2', ...lines, ...ends.map((state) => `  ${state} --> [*]`)].join('\n');
}

export const executionDiagram = (): string => stateDiagram(ROW_TRANSITIONS, ROW_CAUSES);
export const jobDiagram = (): string => stateDiagram(JOB_TRANSITIONS, JOB_CAUSES);
