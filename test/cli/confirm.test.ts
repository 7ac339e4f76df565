import { describe, expect, it } from 'vitest';
import type { Cli } from '../../src/cli/command.ts';
import { confirm } from '../../src/cli/confirm.ts';

describe('confirm', () => {
  it.each([
    ['y', true],
    ['YES ', true],
    ['', false],
    ['n', false],
    ['yeah', false],
  ])('the answer %j is %s', async (answer, expected) => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    expect(await confirm({ ask } as unknown as Cli, 'Cancel 2 jobs?')).toBe(expected);
    expect(asked).toEqual(['Cancel 2 jobs? [y/N] ']);
  });

  it('without a terminal it names the flags', async () => {
    await expect(confirm({} as Cli, 'Cancel 2 jobs?')).rejects.toThrow('give --yes to confirm, or --dry-run');
  });
});
