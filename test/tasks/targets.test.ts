// Patterns with `{user}`: what belongs to one user must not fit another, however their ids are made.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';
import { createTargets } from '../../src/tasks/aws/targets.ts';
import { taskVariables } from '../../src/tasks/task-settings.ts';

const allows = (pattern: string, target: string, userId: string): boolean => {
  try {
    createTargets({ allow: { lambda: [pattern] } }).check('lambda', target, userId);
    return true;
  } catch {
    return false;
  }
};

describe('a pattern with {user}', () => {
  it.each([
    ['{user}-*', 'a-report', 'a'],
    ['{user}-*', 'a-b-report', 'a-b'],
    ['{user}-*', '3f25-4f89-report', '3f25-4f89'],
    ['{user}__*', 'a__daily-report', 'a'],
    ['{user}', 'a', 'a'],
    ['jobs-{user}-*:live', 'jobs-a-report:live', 'a'],
    ['*-{user}', 'x-a', 'a'],
    ['arn:aws:sns:*:123456789012:{user}-*', 'arn:aws:sns:eu-west-1:123456789012:a-news', 'a'],
    ['*/{user}-*', 'https://sqs.eu-west-1.amazonaws.com/1/a-orders', 'a'],
    ['s3://scripts/{user}/*', 's3://scripts/a/daily/report-1.py', 'a'],
    ['{user}.*', 'x|y.z', 'x|y'],
    ['{user}-*', 'a*-report', 'a*'],
  ])('%s fits %s of %s', (pattern, target, user) => {
    expect(allows(pattern, target, user)).toBe(true);
  });

  it.each([
    ['{user}-*', 'a-b-report', 'a'],
    ['{user}-*', 'ab-report', 'a'],
    ['jobs-{user}-*', 'jobs-a-b-report', 'a'],
    ['*-{user}', 'x-a-b', 'b'],
    ['*-{user}-*', 'x-a-b-report', 'a'],
    ['{user}__*', 'a__b__report', 'a'],
    ['s3://scripts/{user}/*', 's3://scripts/a/b/report.py', 'a/b'],
    ['*/{user}-*', 'https://sqs.eu-west-1.amazonaws.com/1/a-orders', '1/a'],
    ['arn:aws:sns:*:{user}-*', 'arn:aws:sns:eu-west-1:1:a-news', '1:a'],
    ['{user}-*', 'x-report', '*'],
    ['{user}-*', 'x-report', '.*'],
    ['{user}-*', 'x-report', '{user}'],
  ])('%s does not fit %s of %s', (pattern, target, user) => {
    expect(allows(pattern, target, user)).toBe(false);
  });

  it('fits a target for one user at most', () => {
    const piece = fc.constantFrom('a', 'b', '-', '_', '.', '/', ':');
    const word = fc.array(piece, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''));
    const pattern = fc.constantFrom(
      ...[
        '{user}-*',
        '*-{user}',
        '*-{user}-*',
        '{user}_*',
        'a{user}-*',
        '{user}-a-*',
        '*.{user}-*',
        '*/{user}-*',
      ],
      ...['{user}/*', '*:{user}_*', '{user}-*-{user}', '{user}-*_*', '*-*_{user}.*', '{user}:*-*'],
    );
    fc.assert(
      fc.property(pattern, word, word, fc.array(word, { maxLength: 3 }), (text, one, other, stars) => {
        let next = 0;
        const target = text.replaceAll('{user}', () => one).replace(/\*/g, () => stars[next++] ?? 'a');
        const readings = [...subtexts(target), other].filter((id) => allows(text, target, id));
        expect(new Set(readings).size, `${text} ${target}: ${readings}`).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['{user}*', '*{user}', 'x-{user}*-y', '{user}{user}'])('%j stops the start', (pattern) => {
    const read = () => readConfig(taskVariables, { PUNCTUAL_ALLOW_LAMBDA: `ok,${pattern}` });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      `PUNCTUAL_ALLOW_LAMBDA[1] must have a character between {user} and the next * or {user}, such as "{user}-*", got "${pattern}"`,
    );
  });
});

function subtexts(text: string): string[] {
  const all = new Set<string>();
  for (let from = 0; from < text.length; from++)
    for (let to = from + 1; to <= text.length; to++) all.add(text.slice(from, to));
  return [...all];
}
