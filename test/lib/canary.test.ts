// The template of the canary: its function, rule, permissions and alarms, with tokens and with signed requests.
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, type Properties, type Synthesized, synthesizedOnce, synthesizeWith } from './synth.ts';

afterAll(cleanUp);

const found = new Map<string, Synthesized>();
function of(authorization: 'jwt' | 'iam'): Synthesized {
  const one = found.get(authorization) ?? synthesizeWith({ canary: 'true', authorization });
  found.set(authorization, one);
  return one;
}

const idOf = ({ resources }: Synthesized, type: string, id: RegExp): string => {
  const ids = Object.entries(resources).filter(([key, { Type }]) => Type === type && id.test(key));
  expect(ids.map(([key]) => key)).toHaveLength(1);
  return ids[0]?.[0] ?? '';
};
const propertiesOf = (one: Synthesized, type: string, id: RegExp): Properties =>
  one.resources[idOf(one, type, id)]?.Properties;
const actionsOf = (one: Synthesized): unknown[] =>
  propertiesOf(one, 'AWS::IAM::Policy', /CanaryFunctionRole/).PolicyDocument.Statement.map(
    ({ Action, Resource }: Properties) => [[Action].flat(), Resource],
  );

describe('the canary', { timeout: 120_000 }, () => {
  it('is not part of the default deployment', () => {
    expect(Object.keys(synthesizedOnce('default').resources).filter((id) => /Canary/.test(id))).toEqual([]);
  });

  it.each(['jwt', 'iam'] as const)('is invoked every minute and never retried, with %s', (kind) => {
    const one = of(kind);
    const rule = propertiesOf(one, 'AWS::Events::Rule', /Canary/);
    expect(rule.ScheduleExpression).toBe('rate(1 minute)');
    expect(rule.Targets).toEqual([
      expect.objectContaining({
        Arn: { 'Fn::GetAtt': [idOf(one, 'AWS::Lambda::Function', /Canary/), 'Arn'] },
        RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
      }),
    ]);
    expect(propertiesOf(one, 'AWS::Lambda::EventInvokeConfig', /Canary/).MaximumRetryAttempts).toBe(0);
  });

  it('has a client of the user pool, and reads its secret from Cognito instead of a variable', () => {
    const one = of('jwt');
    const pool = idOf(one, 'AWS::Cognito::UserPool', /./);
    const client = idOf(one, 'AWS::Cognito::UserPoolClient', /canary/);
    const { Variables: variables } = propertiesOf(one, 'AWS::Lambda::Function', /Canary/).Environment;
    expect(variables).toMatchObject({
      PUNCTUAL_PREFIX: 'punctual-dev-',
      PUNCTUAL_AUTHORIZATION: 'jwt',
      PUNCTUAL_CANARY_URL: { 'Fn::GetAtt': [idOf(one, 'AWS::ApiGatewayV2::Api', /./), 'ApiEndpoint'] },
      PUNCTUAL_CANARY_USER_POOL_ID: { Ref: pool },
      PUNCTUAL_CANARY_CLIENT_ID: { Ref: client },
    });
    expect(JSON.stringify(variables)).not.toContain('ClientSecret');
    expect(actionsOf(one)).toEqual([
      [['logs:CreateLogStream', 'logs:PutLogEvents'], expect.anything()],
      [['cognito-idp:DescribeUserPoolClient'], { 'Fn::GetAtt': [pool, 'Arn'] }],
    ]);
    // API Gateway accepts its tokens
    const { JwtConfiguration: jwt } = propertiesOf(one, 'AWS::ApiGatewayV2::Authorizer', /./);
    expect(jwt.Audience).toContainEqual({ Ref: client });
  });

  it('may call two routes and nothing else with signed requests', () => {
    const one = of('iam');
    const [, calls] = actionsOf(one) as [unknown, [string[], Properties[]]];
    expect(calls[0]).toEqual(['execute-api:Invoke']);
    expect(calls[1].map((arn) => JSON.stringify(arn).split('/$default/')[1]).sort()).toEqual([
      'GET/executions"]]}',
      'POST/jobs"]]}',
    ]);
    const { Variables: variables } = propertiesOf(one, 'AWS::Lambda::Function', /Canary/).Environment;
    expect(Object.keys(variables).sort()).toEqual([
      'NODE_OPTIONS',
      'PUNCTUAL_AUTHORIZATION',
      'PUNCTUAL_CANARY_URL',
      'PUNCTUAL_PREFIX',
    ]);
  });

  it('has alarms on lateness and absence, which the runbook describes', () => {
    const alarms = of('jwt')
      .ofType('AWS::CloudWatch::Alarm')
      .map(({ Properties }) => Properties)
      .filter(({ AlarmName }) => /canary/.test(AlarmName));
    expect(
      alarms.map(({ AlarmName, Metrics, ComparisonOperator, Threshold, TreatMissingData }) => [
        AlarmName,
        Metrics[0].MetricStat.Metric.MetricName,
        ComparisonOperator,
        Threshold,
        TreatMissingData,
      ]),
    ).toEqual([
      ['punctual-dev-canary-late', 'CanaryLateness', 'GreaterThanThreshold', 2000, 'notBreaching'],
      ['punctual-dev-canary-absent', 'CanarySucceeded', 'LessThanThreshold', 1, 'breaching'],
    ]);
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    for (const { AlarmDescription: text } of alarms)
      expect(runbook).toContain(`\n## ${text.split('#').at(-1)}\n`);
    expect(JSON.stringify(of('jwt').ofType('AWS::CloudWatch::Dashboard'))).toContain('CanaryLateness');
  });
});
