import { describe, expect, it } from 'vitest';
import { readArguments, readOutputs } from './arguments.ts';
import { estimate } from './estimate.ts';

const GIVEN = { outputs: 'outputs.json', operatorsGroup: 'punctual-operators', yes: false };
const STACK = {
  PunctualUrlE79DDA4A: 'https://api.test',
  PunctualTokenUrl0A1B2C3D: 'https://pool.test/oauth2/token',
  PunctualConsoleUrl0A1B2C3D: 'https://api.test/console/',
  PunctualUserPoolId0A1B2C3D: 'eu-central-1_AbCdEf',
  PunctualAudience0A1B2C3D: 'people,billing',
  PunctualIssuer0A1B2C3D: 'https://cognito.test',
};
const read = (value: unknown, given: object = {}) =>
  readOutputs(JSON.stringify(value), { ...GIVEN, ...given });

describe('the arguments of test:account', () => {
  it('name the outputs, and do not go on without --yes', () => {
    expect(readArguments(['--outputs', 'outputs.json'])).toEqual(GIVEN);
    expect(readArguments(['--outputs', 'o', '--stack', 's', '--operators-group', 'admins', '--yes'])).toEqual(
      { outputs: 'o', stack: 's', operatorsGroup: 'admins', yes: true },
    );
    expect(readArguments(['--help'])).toBeUndefined();
  });

  it.each([
    [[], '--outputs is missing'],
    [['--outputs'], 'outputs'],
    [['--outputs', 'o', '--force'], "Unknown option '--force'"],
    [['outputs.json'], 'outputs.json'],
  ])('%j are refused', (args, message) => {
    expect(() => readArguments(args)).toThrow(message);
  });
});

describe('the outputs of test:account', () => {
  it('are those of the only stack, or of the named one', () => {
    const short = { Url: 'https://api.test', UserPoolId: 'eu-central-1_AbCdEf', Audience: 'people,billing' };
    expect(read({ 'punctual-dev': STACK })).toEqual(short);
    expect(read({ other: {}, 'punctual-dev': STACK }, { stack: 'punctual-dev' })).toEqual(short);
  });

  it('are found under another id of the construct', () => {
    const renamed = Object.fromEntries(
      Object.entries(STACK).map(([key, value]) => [key.replace('Punctual', 'Jobs'), value]),
    );
    expect(read({ reports: renamed }).Url).toBe('https://api.test');
  });

  it('are not those of another construct of the stack', () => {
    const other = { BucketUrl0A1B2C3D: 'https://other.test', ZoneAudience0A1B2C3D: 'other' };
    const { Url, Audience } = read({ reports: { ...STACK, ...other } });
    expect([Url, Audience]).toEqual(['https://api.test', 'people,billing']);
  });

  it.each([
    [
      { a: { ...STACK, SecondUserPoolId0A1B2C3D: 'eu-central-1_Second' } },
      {},
      'the stack a has several outputs UserPoolId: PunctualUserPoolId0A1B2C3D, SecondUserPoolId0A1B2C3D',
    ],
    [{ a: STACK, b: STACK }, {}, '--stack must name one of the stacks of outputs.json: a, b'],
    [{ a: STACK }, { stack: 'c' }, '--stack must be one of a, got "c"'],
    [{}, {}, '--stack must name one of the stacks of outputs.json: it has none'],
    [
      { a: { PunctualUrlE79DDA4A: 'https://api.test' } },
      {},
      'the stack a has no output UserPoolId. test:account needs a stack with its own user pool',
    ],
    [
      { a: { PunctualUserPoolId0A1B2C3D: 'eu-central-1_AbCdEf', PunctualUrlE79DDA4A: 'https://api.test' } },
      {},
      'the stack a has no output Audience.',
    ],
    [['a'], {}, 'outputs.json is not a file of `cdk deploy --outputs-file`'],
    [{ a: 'x' }, {}, 'outputs.json is not a file of `cdk deploy --outputs-file`'],
  ])('%j with %j are refused', (value, given, message) => {
    expect(() => read(value, given)).toThrow(message);
  });

  it('that are no JSON are refused', () => {
    expect(() => readOutputs('Url = x', GIVEN)).toThrow('outputs.json is not a file of');
  });
});

describe('the estimate of test:account', () => {
  it('is the sum of its lines, and below a dollar', () => {
    const { lines, dollars } = estimate();
    const sum = lines.reduce((total, [, text]) => total + Number(text.slice(1)), 0);
    expect(Math.abs(sum - dollars)).toBeLessThan(0.001);
    expect(dollars).toBeGreaterThan(0);
    expect(dollars).toBeLessThan(1);
  });
});
