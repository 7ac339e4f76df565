// Help texts, and the messages for a wrong command line.
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/main.ts';
import { closest } from '../../src/domain/validation/closest.ts';
import { cli } from './in-process.ts';

describe('help', () => {
  it('names every command', async () => {
    const { code, out } = await cli(['--help']);
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) expect(out).toContain(`${name} `.padEnd(14) + summary);
    expect(out).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
  });

  it.each(COMMANDS.map(({ name }) => name))('of %s has options and examples', async (name) => {
    const { code, out } = await cli([name, '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`usage: punctual ${name}`);
    expect(out).toMatch(/--json +print JSON instead of text/);
    expect(out).toMatch(new RegExp(`examples:\n  .*punctual ${name}`));
    expect((await cli(['help', name])).out).toBe(out);
    expect((await cli([name, '-h'])).out).toBe(out);
  });

  it.each([['--version'], ['version']])('%s prints the version', async (word) => {
    expect(await cli([word])).toMatchObject({ code: 0, out: '1.2.3', err: '' });
  });

  it('is printed to stderr with exit code 2 if there is no command', async () => {
    expect(await cli([])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('usage: punctual'),
    });
  });
});

describe('a wrong command line', () => {
  it.each([
    [['lsit'], 'there is no command "lsit"; did you mean "list"?'],
    [['dead'], 'there is no command "dead"; did you mean "dead-letters"?'],
    [['xyzzy'], 'there is no command "xyzzy". See: punctual --help'],
    [['--json', 'list'], 'there is no option --json before the command'],
    [['list', '--satus', 'active'], 'punctual list has no option --satus; did you mean --status?'],
    [['list', '-x'], 'punctual list has no option -x'],
    [['list', '--status'], '--status needs a value'],
    [['list', '--status', '--json'], '--status needs a value'],
    [['list', '--json=yes'], '--json takes no value, got "yes"'],
    [['list', '--task', 'a', '--task', 'b'], '--task is given more than once'],
    [['list', '--limit', 'many'], '--limit must be a number, got "many"'],
    [['list', '--limit', '0'], '--limit must be a whole number of at least 1, got "0"'],
    [['list', 'all'], 'unexpected argument "all": punctual list [filters]'],
    [['show'], 'an argument is missing: punctual show <job or execution>'],
    [['create'], 'the task is missing: give --task'],
    [['create', '--task', 'noop', '--cron', '@daily', '--in', '3s'], '--cron and --in cannot be combined'],
    [['create', '--task', 'noop', '--timezone', 'UTC'], '--timezone needs a schedule'],
    [
      ['create', '--task', 'noop', '--in', 'soon'],
      '--in must be a duration such as 90s, 15m, 2h, 1d or PT90S',
    ],
    [['create', '--task', 'noop', '--params', '{'], '--params is not JSON'],
    [['create', '--task', 'noop', '--params', '[1]'], '--params must be a JSON object'],
    [['create', '--task', 'noop', '--tag', 'billing'], '--tag must be key=value, got "billing"'],
    [['edit', 'hello'], 'nothing to change'],
    [['create', '--task', 'noop', '--backoff', 'soon'], '--backoff must be a duration such as 90s'],
    [['create', '--task', 'noop', '--notify', 'failed'], '--notify must be events=target with a URL'],
    [['create', '--task', 'noop', '--notify', 'failed=ops'], '--notify must be events=target with a URL'],
    [['apply'], 'the jobs file is missing: give -f jobs.yaml'],
    [['plan', '-f', 'x', '--force'], '--force has no effect without --prune'],
    [['plan', '-f', 'x', '--json', '--markdown'], '--markdown and --json cannot be combined'],
    [['audit', 'hello', '--from', 'yesterday'], '--from must be a time such as 2026-12-01T10:00:00Z'],
    [['audit', 'hello', '--from', '1h', '--to', '2h'], '--from must be before --to'],
    [['backfill', 'hello', '--from', '1h', '--to', '2h'], '--from must be before --to'],
    [['backfill', 'hello'], '--from is missing'],
    [['dead-letters', 'retry'], 'dead-letters takes redrive, dismiss or no argument, got "retry"'],
    [['preview'], 'the schedule is missing'],
    [['preview', '* * * *'], 'schedule.cron: "* * * *" has 4 fields'],
    [['preview', '@daily', '--count', '0'], '--count must be a whole number from 1 to 1000'],
    [['preview', '@daily', '--cron', '@hourly'], 'the cron pattern is given twice'],
    [['preview', '@daily', '--timezone', 'Mars'], 'schedule.timezone: "Mars" is not an IANA timezone'],
    [['list', '--url', 'ftp://x'], 'the server must be an http or https URL'],
    [['list', '--url', 'https://punctual.example'], 'is not on this machine: give --token'],
    [['list'], 'there is no token, and no data folder /nowhere'],
  ])('%j exits with 2 and a message', async (words, message) => {
    const { code, out, err } = await cli(words);
    expect(err).toContain(message);
    expect(code).toBe(2);
    expect(out).toBe('');
  });

  it('is printed as JSON with --json', async () => {
    const { code, err } = await cli(['list', '--json', '--status']);
    expect(code).toBe(2);
    expect(JSON.parse(err)).toEqual({ error: { message: '--status needs a value' } });
  });
});

describe('the closest word', () => {
  const known = ['create', 'cancel', 'resume', 'retry', 'run', 'start', 'show'];
  it.each([
    ['craete', 'create'],
    ['cancle', 'cancel'],
    ['resum', 'resume'],
    ['sho', 'show'],
    ['strat', 'start'],
    ['q', undefined],
    ['kubernetes', undefined],
  ])('to %s is %s', (word, meant) => expect(closest(word, known)).toBe(meant));
});
