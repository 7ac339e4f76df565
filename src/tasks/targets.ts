// Which functions, queues, topics, buses, senders, task definitions and buckets whose jobs may use. The worker's role
// may do more than any one tenant should: this is the line between them.
import { DoNotRetry } from './task.ts';

export const TARGET_KINDS = ['lambda', 'sqs', 'sns', 'eventbridge', 'email', 'container', 's3'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** Patterns by kind: `*` stands for any text, `{user}` for the id of the job's user. */
export type TargetPatterns = Partial<Record<TargetKind, readonly string[]>>;

export interface Targets {
  /** Throws `DoNotRetry` when it is not allowed. */
  check(kind: TargetKind, target: string, userId: string): void;
}

export interface TargetOptions {
  readonly allow: TargetPatterns;
  /** Stronger than what is allowed: the scheduler's own queues, for one. */
  readonly never?: TargetPatterns;
}

export function createTargets({ allow, never = {} }: TargetOptions): Targets {
  return {
    check(kind, target, userId) {
      const fits = (patterns: readonly string[] = []) =>
        patterns.some((pattern) => matches(pattern, target, userId));
      if (fits(never[kind]) || !fits(allow[kind])) {
        throw new DoNotRetry(
          `"${target}" may not be used by the task "${kind === 's3' ? 'script' : kind}": the configuration (PUNCTUAL_ALLOW_${kind.toUpperCase()}) does not allow it`,
        );
      }
    },
  };
}

export const ANY_TARGET: TargetPatterns = Object.fromEntries(TARGET_KINDS.map((kind) => [kind, ['*']]));

function matches(pattern: string, target: string, userId: string): boolean {
  const parts = pattern.split(/(\*|\{user\})/).map((part) => {
    if (part === '*') return '.*';
    return (part === '{user}' ? userId : part).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 's').test(target);
}
