import { describe, expect, it } from 'vitest';
import { help, readOptions, UsageError } from '../../bench/model/options.ts';
import { sizeFor } from '../../tools/capacity.ts';

describe('the options of npm run simulate', () => {
  it('are computed from the rate by default', () => {
    const { options } = readOptions(['--rate', '20000']);
    const { shards, watchers, queues, workers } = sizeFor(20_000);
    expect(options).toMatchObject({ shards, watchers, queues, workers, groupCommit: true, warm: 28_572 });
  });

  it.each([
    [['--rate', 'fast'], '--rate is "fast"; it must be a number from 1 to 200000'],
    [['--rate', ''], '--rate is ""; it must be a number'],
    [['--shards', '1.5'], '--shards is "1.5"; it must be a whole number from 1 to 1024'],
    [['--tenant-share', '90'], '--tenant-share is "90"; it must be a number from 0 to 1'],
    [['--due', 'now'], '--due is "now"; it must be one of even, second, minute'],
    [['--group-commit', 'yes'], '--group-commit is "yes"; it must be one of on, off'],
    [['--shard', '3'], "Unknown option '--shard'"],
    [['10000'], 'Unexpected argument'],
  ])('%j is refused', (args, message) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(message);
  });

  it('are all in the help', () => {
    for (const flag of ['--rate', '--tenant-share', '--group-commit', '--json'])
      expect(help()).toContain(flag);
  });
});
