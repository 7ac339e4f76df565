import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { settingsFromContext } from '../../lib/settings/context.ts';
import { hasConsole } from '../../lib/settings/has-console.ts';
import type { SettingProps } from '../../lib/settings/setting-props.ts';
import { readSettings, settingsSchema } from '../../lib/settings/settings.ts';

const errorOf = (given: object): string => {
  try {
    readSettings(given as SettingProps);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('the settings of a deployment', () => {
  it('have a default for everything', () => {
    expect(readSettings({})).toEqual({
      stage: 'dev',
      shards: 16,
      watchers: 1,
      queues: 1,
      lookAheadMinutes: 5,
      workerCpu: 1024,
      workerMemory: 2048,
      workerConcurrency: 100,
      ownerShare: 0.8,
      minWorkers: 2,
      maxWorkers: 20,
      maxProtectionMinutes: 120,
      spotShare: 0,
      executionsPerWorker: 100,
      network: 'public',
      authorization: 'jwt',
      operatorsGroup: 'punctual-operators',
      apiRequestsPerSecond: 1000,
      docs: true,
      apiBurst: 2000,
      apiReservedConcurrency: 300,
      quotaRunningExecutions: 1000,
      quotaStartsPerMinute: 3000,
      quotaCreatesPerMinute: 3000,
      quotaActiveJobs: 10_000,
      quotaStoredBytes: 1_000_000_000,
      quotaShortestIntervalSeconds: 5,
      quotaLongestTimeoutSeconds: 7200,
      quotaRequestsPerSecond: 50,
      canary: false,
      runbookUrl: 'docs/runbook.md',
      retentionDays: 90,
      indexPartitions: 4,
      indexPartitionsWritten: 4,
      groupCommit: true,
      scripts: false,
      tracing: false,
      traceSampling: 0.01,
      logRetentionDays: 30,
      capacity: 'onDemand',
      minCapacity: 25,
      maxCapacity: 4000,
      tableQuotaPerSecond: 40_000,
      contributorInsights: false,
      removalPolicy: 'retain',
    });
  });

  it.each([
    [{ shards: 0 }, 'shards must be at least 1, got 0'],
    [{ shards: 2000 }, 'shards must be at most 1024, got 2000'],
    [{ watchers: 17 }, 'watchers must be at most shards (16), got 17'],
    [{ indexPartitions: 3 }, 'indexPartitions must be at least 4, got 3'],
    [
      { indexPartitions: 8, indexPartitionsWritten: 16 },
      'indexPartitionsWritten must be at most indexPartitions (8), got 16: deploy with the higher indexPartitions first',
    ],
    [{ minWorkers: 5, maxWorkers: 4 }, 'maxWorkers must be at least minWorkers (5), got 4'],
    [
      { canary: true, issuer: 'https://login.example.com/', audience: ['punctual'] },
      'canary requires the user pool of the stack, or authorization iam; with an issuer of your own, it has no client to get tokens with',
    ],
    [
      { canary: true, serviceClients: ['canary'] },
      'serviceClients must not contain "canary" with canary, because the canary has this client',
    ],
    [
      { canary: true, stage: 'awsome' },
      'stage must not contain aws, amazon or cognito with serviceClients, canary or console (set console to false), because Cognito refuses such a domain, got "awsome"',
    ],
    [{ spotShare: 70 }, 'spotShare must be at most 1, got 70'],
    [{ lookAheadMinutes: 14 }, 'lookAheadMinutes must be at most 13, got 14'],
    [
      { workerCpu: 256, workerMemory: 4096 },
      'workerMemory must be 512 to 2048 in steps of 1024 with workerCpu 256, got 4096',
    ],
    [
      { warmWritesPerSecond: 50_000 },
      'warmWritesPerSecond must be at most tableQuotaPerSecond (40000), got 50000',
    ],
    [{ maxProtectionMinutes: 180 }, 'maxProtectionMinutes must be at most 165, got 180'],
    [{ issuer: 'https://login.example.com' }, 'issuer is given without audience'],
    [
      { operatorsGroup: 'network operators' },
      'operatorsGroup must be 1 to 128 characters without spaces, commas or brackets, got "network operators"',
    ],
    [
      { emailRecipients: ['example.com'] },
      'emailRecipients[0] must be an address, or a pattern such as "*@example.com" or "*@*.example.com", got "example.com"',
    ],
    [
      { authorization: 'iam', issuer: 'https://login.example.com', audience: ['a'] },
      'issuer requires authorization jwt, because signed requests have no token\naudience requires authorization jwt, because signed requests have no token',
    ],
    [
      { operatorRoles: ['arn:aws:iam::123456789012:role/on-call'] },
      'operatorRoles requires authorization iam; with tokens, operators are the members of operatorsGroup',
    ],
    [
      { authorization: 'iam', operatorRoles: ['on-call'] },
      'operatorRoles[0] must be the ARN of a role, such as arn:aws:iam::123456789012:role/operators',
    ],
    [
      { serviceClients: ['Billing'] },
      'serviceClients[0] must be 1 to 30 lower-case letters, digits and "-", and start with a letter',
    ],
    [{ serviceClients: ['billing', 'billing'] }, 'serviceClients must not name a service twice'],
    [
      { serviceClients: ['billing'], issuer: 'https://login.example.com', audience: ['a'] },
      'serviceClients requires the user pool of the stack; with an issuer of your own, create the clients there',
    ],
    [
      { serviceClients: ['billing'], stage: 'my-aws' },
      'stage must not contain aws, amazon or cognito with serviceClients, canary or console (set console to false), because Cognito refuses such a domain, got "my-aws"',
    ],
    [
      { console: true, authorization: 'iam' },
      'console requires authorization jwt, because browsers have no AWS credentials to sign requests with',
    ],
    [
      { console: true, issuer: 'https://login.example.com/', audience: ['punctual'] },
      'console requires consoleClientId with an issuer of your own: create a public client for it there',
    ],
    [
      { consoleClientId: 'console' },
      'consoleClientId requires issuer; the user pool of the stack has a client for the console',
    ],
    [
      { console: false, consoleClientId: 'x', issuer: 'https://login.example.com/', audience: ['punctual'] },
      'consoleClientId is given although console is false',
    ],
    [
      { stage: 'aws-team' },
      'stage must not contain aws, amazon or cognito with serviceClients, canary or console (set console to false), because Cognito refuses such a domain, got "aws-team"',
    ],
    [{ vpcId: 'vpc-0a1b' }, 'vpcId is given without subnetIds\nvpcId is given without availabilityZones'],
    [
      { warmWritesPerSecond: 5000, capacity: 'provisioned' },
      'warmWritesPerSecond requires capacity onDemand; use minCapacity for provisioned tables',
    ],
  ])('%j is refused with an error that names the limit', (given, sentence) => {
    expect(errorOf(given)).toBe(sentence);
  });

  it.each([
    [{}, true],
    [{ console: false }, false],
    [{ console: false, stage: 'aws-team' }, false],
    [{ authorization: 'iam' }, false],
    [{ issuer: 'https://login.example.com/', audience: ['punctual'] }, false],
    [{ issuer: 'https://login.example.com/', audience: ['punctual'], consoleClientId: 'console' }, true],
  ] as const)('%j: the console is on: %s', (given, expected) => {
    expect(hasConsole(readSettings(given as SettingProps))).toBe(expected);
  });

  it('name at most 50 audiences, which API Gateway accepts: those of services, people, console and canary', () => {
    const names = (length: number) => Array.from({ length }, (_, index) => `service-${index}`);
    expect(errorOf({ serviceClients: names(47), canary: true })).toBe('');
    expect(errorOf({ serviceClients: names(48) })).toMatch(/^serviceClients .*at most 47/);
    const issuer = 'https://login.example.com';
    expect(errorOf({ issuer, audience: names(50) })).toBe('');
    expect(errorOf({ issuer, audience: names(51) })).toMatch(/^audience .*at most 50/);
  });

  it('with an unknown name are refused, so that a typing mistake does not become a default', () => {
    expect(errorOf({ shard: 64 })).toMatch(/^shard is not a known field; known fields are stage, shards, /);
  });

  it('are read from the CDK context, as texts or as values', () => {
    const context = {
      'punctual:shards': '64',
      'punctual:spotShare': 0.5,
      'punctual:contributorInsights': 'true',
      'punctual:corsOrigins': 'https://a.example, https://b.example',
      'punctual:stage': 'prod',
      '@aws-cdk/core:something': true,
    };
    expect(settingsFromContext(new App({ context }).node)).toEqual({
      shards: 64,
      spotShare: 0.5,
      contributorInsights: true,
      corsOrigins: ['https://a.example', 'https://b.example'],
      stage: 'prod',
    });
  });

  it('that are not a number are quoted in the error', () => {
    const { node } = new App({ context: { 'punctual:shards': 'many' } });
    expect(errorOf(settingsFromContext(node))).toBe('shards must be a number from 1 to 1024, got "many"');
  });

  it('have the documented defaults', () => {
    const text = readFileSync('lib/settings/setting-props.ts', 'utf8');
    const documented = [...text.matchAll(/@default (.*)\n \s*\*\/\n\s*readonly (\w+)\?/g)];
    expect(documented.map(([, , name]) => name).sort()).toEqual(Object.keys(settingsSchema.shape).sort());
    const values = readSettings({}) as unknown as Record<string, unknown>;
    for (const [, text = '', name = ''] of documented) {
      const isText = text.startsWith('- ') || name === 'watcherReservedConcurrency';
      if (!isText) expect(JSON.stringify(values[name]), name).toBe(text.replaceAll("'", '"'));
      else expect([undefined, 'docs/runbook.md'], name).toContain(values[name]);
    }
  });

  it('are all in the deploy guide', () => {
    const guide = readFileSync('docs/deploy.md', 'utf8');
    expect(Object.keys(settingsSchema.shape).filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
