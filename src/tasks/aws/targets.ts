// Which functions, queues, topics, buses, senders, task definitions and buckets whose jobs may use. The worker's role
// may do more than any one tenant should: this is the line between them.
import { z } from 'zod';
import { formatValue } from '../../domain/validation/validation.ts';
import { DoNotRetry } from '../task.ts';

export const TARGET_KINDS = ['lambda', 'sqs', 'sns', 'eventbridge', 'email', 'container', 's3'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** Patterns by kind: `*` stands for any text, `{user}` for the id of the job's user (`matches` has the exact rule). */
export type TargetPatterns = Partial<Record<TargetKind, readonly string[]>>;

/** Of `{user}*` and `*{user}` nobody could say where the user's id ends. */
export const targetPattern = z
  .string()
  .refine((pattern) => !/\{user\}(\*|\{user\})|\*\{user\}/.test(pattern), {
    error: ({ input }) =>
      `must have a character between {user} and what is beside it, such as "{user}-*", got ${formatValue(input)}`,
  });

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

/** These divide paths and ARNs: names that jobs use have none of them. */
const DIVIDERS = /[/:]/;

/**
 * A target fits for one user at most. User ids may contain any character, so in `{user}-*` the `*` stands for a text without
 * "-": what is before the last one is the user's id, and the target `a-b-report` is that of `a-b`, not of `a`. Where the
 * character next to `{user}` is "/" or ":" the `*` stands for any text, and an id with one of these fits no pattern.
 */
function matches(pattern: string, target: string, userId: string): boolean {
  const parts = pattern.split(/(\*|\{user\})/);
  if (parts.includes('{user}') && DIVIDERS.test(userId)) return false;
  const expression = parts.map((part, index) => {
    if (part === '*') return textWithout(besideUser(parts, index));
    return escaped(part === '{user}' ? userId : part);
  });
  return new RegExp(`^${expression.join('')}$`, 's').test(target);
}

/** The characters that part this `*` from the `{user}` before it, and from the one after it. */
function besideUser(parts: readonly string[], star: number): string {
  const before = parts.lastIndexOf('{user}', star);
  const after = parts.indexOf('{user}', star);
  const next = before < 0 ? '' : (parts[before + 1]?.at(0) ?? '');
  const previous = after < 0 ? '' : (parts[after - 1]?.at(-1) ?? '');
  return [next, previous].filter((char) => !DIVIDERS.test(char)).join('');
}

const textWithout = (chars: string): string => (chars === '' ? '.*' : `[^${escaped(chars)}]*`);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&');
