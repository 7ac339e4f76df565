// The AWS resources that the jobs of each user may use: functions, queues, topics, buses, senders, task definitions, buckets.
// All users share the worker's role, so these patterns separate them.
import { z } from 'zod';
import { formatValue } from '../../domain/validation/validation.ts';
import { DoNotRetry } from '../task.ts';

export const TARGET_KINDS = ['lambda', 'sqs', 'sns', 'eventbridge', 'email', 'container', 's3'] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

/** Patterns by kind. `*` is any text, `{user}` is the id of the job's owner. `matches` has the exact rule. */
export type TargetPatterns = Partial<Record<TargetKind, readonly string[]>>;

/** `{user}*` and `*{user}` are refused: the end of the user id would be ambiguous. */
export const targetPattern = z
  .string()
  .refine((pattern) => !/\{user\}(\*|\{user\})|\*\{user\}/.test(pattern), {
    error: ({ input }) =>
      `must have a character between {user} and the next * or {user}, such as "{user}-*", got ${formatValue(input)}`,
  });

export interface Targets {
  /** Throws DoNotRetry if the user's jobs may not use the target. */
  check(kind: TargetKind, target: string, userId: string): void;
}

export interface TargetOptions {
  readonly allow: TargetPatterns;
  /** Targets that are refused even if `allow` matches, such as the scheduler's own queues. */
  readonly never?: TargetPatterns;
}

export function createTargets({ allow, never = {} }: TargetOptions): Targets {
  return {
    check(kind, target, userId) {
      const fits = (patterns: readonly string[] = []) =>
        patterns.some((pattern) => matches(pattern, target, userId));
      if (fits(never[kind]) || !fits(allow[kind])) {
        throw new DoNotRetry(
          `"${target}" may not be used by the task "${kind === 's3' ? 'script' : kind}": PUNCTUAL_ALLOW_${kind.toUpperCase()} does not allow it`,
        );
      }
    },
  };
}

export const ANY_TARGET: TargetPatterns = Object.fromEntries(TARGET_KINDS.map((kind) => [kind, ['*']]));

/** The separators of paths and ARNs. Names of resources do not contain them. */
const DIVIDERS = /[/:]/;

/**
 * A target matches for one user at most. User ids may contain any character, so in `{user}-*` the `*` matches no "-". The part
 * before the last "-" is the user id: `a-b-report` belongs to `a-b`, not to `a`. If "/" or ":" is next to `{user}`, `*`
 * matches any text, and a user id with "/" or ":" matches no pattern.
 */
function matches(pattern: string, target: string, userId: string): boolean {
  const parts = pattern.split(/(\*|\{user\})/);
  if (parts.includes('{user}') && DIVIDERS.test(userId)) return false;
  const expression = parts.map((part, index) => {
    if (part === '*') return textWithout(separatorsOf(parts, index));
    return escaped(part === '{user}' ? userId : part);
  });
  return new RegExp(`^${expression.join('')}$`, 's').test(target);
}

/** The characters that separate this `*` from the `{user}` before it and after it. */
function separatorsOf(parts: readonly string[], star: number): string {
  const before = parts.lastIndexOf('{user}', star);
  const after = parts.indexOf('{user}', star);
  const next = before < 0 ? '' : (parts[before + 1]?.at(0) ?? '');
  const previous = after < 0 ? '' : (parts[after - 1]?.at(-1) ?? '');
  return [next, previous].filter((char) => !DIVIDERS.test(char)).join('');
}

const textWithout = (chars: string): string => (chars === '' ? '.*' : `[^${escaped(chars)}]*`);

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&');
