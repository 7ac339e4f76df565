import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';
import { createRecipients, recipientSchema } from '../../src/tasks/aws/recipients.ts';
import { taskVariables } from '../../src/tasks/task-settings.ts';

const refused = (address: string, patterns: readonly string[]): boolean =>
  !recipientSchema(createRecipients(patterns)).safeParse(address).success;

describe('recipients of e-mails', () => {
  it.each([
    ['ann@example.com', ['ann@example.com']],
    ['ann@example.com', ['*@example.com']],
    ['Ann@EXAMPLE.com', ['*@example.com']],
    ['ann@example.com', ['*@Example.COM']],
    ['ann+x@example.com', ['*@example.com']],
    ['team-a@example.com', ['team-*@example.com']],
    ['ann@a.b.example.com', ['*@*.example.com']],
    ['ann@elsewhere.example', ['*@*']],
    ['ann@b.example', ['*@a.example', '*@b.example']],
  ])('%s is one of %j', (address, patterns) => {
    expect(refused(address, patterns)).toBe(false);
  });

  it.each([
    ['ann@example.com', []],
    ['ann@elsewhere.example', ['*@example.com']],
    ['ann@example.com.elsewhere.example', ['*@example.com']],
    ['ann@evil-example.com', ['*@example.com']],
    ['ann@sub.example.com', ['*@example.com']],
    ['ann@example.com', ['*@*.example.com']],
    ['ann@examplexcom.example', ['*@example.com']],
    ['annx@example.com', ['ann@example.com']],
    ['Eve <eve@elsewhere.example>', ['*@elsewhere.example']],
    ['eve@elsewhere.example <ann@example.com>', ['*@example.com']],
    ['"eve@elsewhere.example" <ann@example.com>', ['*@example.com']],
    ['eve@elsewhere.example,ann@example.com', ['*@example.com']],
    ['eve@elsewhere.example;ann@example.com', ['*@example.com']],
    ['eve@elsewhere.example ann@example.com', ['*@example.com']],
    ['eve%elsewhere.example@example.com', ['*@example.com']],
    ['elsewhere.example!eve@example.com', ['*@example.com']],
    ['@elsewhere.example:eve@example.com', ['*@example.com']],
    ['"eve@elsewhere.example"@example.com', ['*@example.com']],
    ['ann@example.com\nBcc: eve@elsewhere.example', ['*@example.com']],
    ['eve@elsewhere.example\n@example.com', ['*@example.com']],
    ['ann@example.com\n', ['*@example.com']],
    ['ann@ｅxample.com', ['*@example.com']],
    ['ann@еxample.com', ['*@example.com']],
    ['änn@example.com', ['*@example.com']],
    ['ann@example.com.', ['*@example.com']],
    ['ann@[127.0.0.1]', ['*@*']],
  ])('%j is none of %j', (address, patterns) => {
    expect(refused(address, patterns)).toBe(true);
  });

  it('a pattern alone refuses what is no plain address', () => {
    const { refusal } = createRecipients(['*@example.com', '*@*']);
    for (const address of ['a b@example.com', 'a@b@example.com', 'x <a@example.com', 'a\n@example.com'])
      expect(refusal(address)).toMatch(/^must be a recipient that the configuration allows/);
  });

  it('are none unless they are configured', () => {
    expect(readConfig(taskVariables, {}).PUNCTUAL_EMAIL_RECIPIENTS).toEqual([]);
    expect(createRecipients([]).refusal('ann@example.com')).toMatch(/^e-mail is off: /);
    const given = { PUNCTUAL_EMAIL_RECIPIENTS: '*@example.com, ann@b.example' };
    expect(readConfig(taskVariables, given).PUNCTUAL_EMAIL_RECIPIENTS).toEqual([
      '*@example.com',
      'ann@b.example',
    ]);
  });

  it.each([
    '*',
    'example.com',
    '@example.com',
    '*@*example.com',
    '*@example',
    'a b@example.com',
    '*@ex*.com',
  ])('the pattern %j stops the start', (pattern) => {
    const read = () => readConfig(taskVariables, { PUNCTUAL_EMAIL_RECIPIENTS: pattern });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/^PUNCTUAL_EMAIL_RECIPIENTS\[0\] must be an address, or a pattern such as /);
  });
});
