// Imports from EventBridge and crontabs. Every field is carried over or reported.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of a jobs file
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldText, leavesOf } from '../../src/cli/import/fields.ts';
import { importCrontab } from '../../src/cli/import/import-crontab.ts';
import { importEventBridge } from '../../src/cli/import/import-eventbridge.ts';
import { yamlOf } from '../../src/cli/import/imported.ts';
import { jsonDocuments } from '../../src/cli/import/json-documents.ts';
import { type MergedJob, mergeDefaults } from '../../src/cli/jobs-file/merge-defaults.ts';
import { readJobsFile } from '../../src/cli/jobs-file/read-jobs-file.ts';
import { occurrencesAfter } from '../../src/domain/schedule/occurrences.ts';
import { resolveSchedule } from '../../src/domain/schedule/resolve.ts';
import { ROOT } from './command.ts';
import { eventBridgeTimes } from './eventbridge-oracle.ts';
import { cli } from './in-process.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const EXPORT = readFileSync(join(ROOT, 'examples/eventbridge-import/schedules.json'), 'utf8');
const { Schedules } = JSON.parse(EXPORT) as { Schedules: Record<string, unknown>[] };

const nextTimes = ({ schedule }: Pick<MergedJob, 'schedule'>, count: number, from = NOW): string[] => {
  const times: string[] = [];
  for (const due of occurrencesAfter(resolveSchedule(schedule, NOW), from)) {
    times.push(new Date(due).toISOString());
    if (times.length === count) break;
  }
  return times;
};

describe('an export of 40 schedules', () => {
  const { jobs, notes } = importEventBridge([JSON.parse(EXPORT)], NOW);
  const byName = new Map(jobs.map(({ name, job }) => [name, mergeDefaults({}, job)]));

  it('becomes 40 jobs', () => {
    expect(Schedules).toHaveLength(40);
    expect(jobs.map(({ name }) => name)).toEqual(Schedules.map(({ Name }) => Name));
    expect(notes.filter(({ kind }) => kind === 'refused')).toEqual([]);
  });

  it.each(Schedules)('$Name fires when EventBridge does: $ScheduleExpression', (record) => {
    const { Name, ScheduleExpression, ScheduleExpressionTimezone } = record as Record<string, string>;
    const job = byName.get(Name ?? '');
    if (!job || !ScheduleExpression) throw new Error('no job');
    if (ScheduleExpression.startsWith('cron')) {
      const from = Math.max(NOW, Date.parse(String(record.StartDate ?? 0)) - 1);
      // by the minutes of a year and more, at both changes of clocks
      for (const start of [from, Date.parse('2027-03-10T00:00:00Z'), Date.parse('2027-10-25T00:00:00Z')]) {
        const since = Math.max(from, start);
        const expected = eventBridgeTimes(ScheduleExpression, ScheduleExpressionTimezone ?? 'UTC', since, 12)
          .filter((time) => time <= Date.parse(String(record.EndDate ?? '9999-01-01')))
          .map((time) => new Date(time).toISOString());
        expect(nextTimes(job, expected.length, since).slice(0, expected.length)).toEqual(expected);
        if (record.EndDate === undefined) expect(expected.length).toBeGreaterThan(0);
      }
      return;
    }
    const [, number, unit = ''] = /^rate\((\d+) (\w+?)s?\)$/.exec(ScheduleExpression) ?? [];
    if (number === undefined) return;
    const period = Number(number) * ({ minute: 60_000, hour: 3_600_000, day: 86_400_000 }[unit] ?? 0);
    const created = Date.parse(String(record.CreationDate));
    const first = created + Math.ceil((NOW + 1 - created) / period) * period;
    expect(nextTimes(job, 3)).toEqual([0, 1, 2].map((n) => new Date(first + n * period).toISOString()));
  });

  /** Written by hand from the sentences of EventBridge's documentation. */
  it.each([
    ['every-day-10', ['2026-11-17T10:00', '2026-11-18T10:00']],
    ['every-day-1215', ['2026-11-16T12:15', '2026-11-17T12:15']],
    [
      'weekdays-18',
      [
        '2026-11-16T18:00',
        '2026-11-17T18:00',
        '2026-11-18T18:00',
        '2026-11-19T18:00',
        '2026-11-20T18:00',
        '2026-11-23T18:00',
      ],
    ],
    ['first-of-month', ['2026-12-01T08:00', '2027-01-01T08:00']],
    ['every-15-minutes', ['2026-11-16T12:15', '2026-11-16T12:30', '2026-11-16T12:45', '2026-11-16T13:00']],
    ['every-10-minutes-weekdays', ['2026-11-16T12:10', '2026-11-16T12:20']],
    ['office-hours', ['2026-11-16T12:05', '2026-11-16T12:10']],
    ['last-friday', ['2026-11-27T10:15', '2026-12-25T10:15', '2027-01-29T10:15']],
    ['last-day', ['2026-11-30T00:00', '2026-12-31T00:00', '2027-01-31T00:00', '2027-02-28T00:00']],
    [
      'nearest-weekday',
      [
        '2026-12-15T09:00',
        '2027-01-15T09:00',
        '2027-02-15T09:00',
        '2027-03-15T09:00',
        '2027-04-15T09:00',
        '2027-05-14T09:00',
      ],
    ],
    ['third-wednesday', ['2026-11-18T12:00', '2026-12-16T12:00']],
    ['sunday-is-1', ['2026-11-22T06:30', '2026-11-29T06:30']],
    ['leap-day', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['years', ['2027-01-01T06:00', '2028-01-01T06:00', '2029-01-01T06:00', '2030-01-01T06:00']],
    ['quarters', ['2027-01-01T07:00', '2027-04-01T07:00']],
    ['kolkata', ['2026-11-17T03:30', '2026-11-18T03:30']],
    ['once-utc', ['2027-03-01T10:00']],
    ['once-paris', ['2027-12-24T17:00']],
    ['once-new-york', ['2027-07-04T13:00']],
    ['start-and-end', ['2027-01-10T06:00', '2027-01-11T06:00']],
    ['utc', ['2026-11-17T04:05', '2026-11-18T04:05']],
  ])('%s has the documented times', (name, times) => {
    const job = byName.get(name);
    if (!job) throw new Error(`no job ${name}`);
    expect(nextTimes(job, times.length)).toEqual(times.map((time) => `${time}:00.000Z`));
  });

  it('skips 02:30 in New York on 14 March 2027, and runs 01:30 once on 7 November 2027', () => {
    const gap = nextTimes(byName.get('gap-new-york') ?? {}, 2, Date.parse('2027-03-13T12:00:00Z'));
    expect(gap).toEqual(['2027-03-15T06:30:00.000Z', '2027-03-16T06:30:00.000Z']);
    const overlap = nextTimes(byName.get('overlap-new-york') ?? {}, 2, Date.parse('2027-11-07T00:00:00Z'));
    expect(overlap).toEqual(['2027-11-07T05:30:00.000Z', '2027-11-08T06:30:00.000Z']);
  });

  it('translates targets, windows, state and policies', () => {
    expect(byName.get('every-day-10')).toMatchObject({
      task: 'lambda',
      params: { payload: { day: 1 }, mode: 'async' },
      retry: { maxAttempts: 100 },
    });
    expect(byName.get('every-day-1215')).toMatchObject({
      task: 'sqs',
      params: { queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders', body: '{"day":1}' },
    });
    expect(byName.get('every-10-minutes-weekdays')?.params).toMatchObject({ groupId: 'billing' });
    expect(byName.get('first-of-month')).toMatchObject({
      task: 'eventbridge',
      params: { source: 'com.example.billing', detailType: 'MonthClosed', detail: { month: 11 } },
    });
    expect(byName.get('every-15-minutes')?.params).toEqual({
      taskDefinition: 'arn:aws:ecs:eu-west-1:123456789012:task-definition/report:7',
      container: 'report',
      command: ['report', '--day', '1'],
    });
    expect(byName.get('flexible')?.schedule).toMatchObject({ jitterSeconds: 900 });
    expect(byName.get('very-flexible')?.schedule).toMatchObject({ jitterSeconds: 3600 });
    expect(byName.get('disabled')?.paused).toBe(true);
    expect(byName.get('grouped')?.tags).toEqual({ group: 'closing' });
    expect(byName.get('described')).toMatchObject({
      retry: { maxAttempts: 3 },
      misfire: { policy: 'skip', graceSeconds: 3600 },
    });
    expect(yamlOf('eb', jobs, 'x')).toContain('  # Reminds the team of the review\n  described:\n');
  });

  it('is read back as it was imported', () => {
    const file = readJobsFile(yamlOf('eb', jobs, 'x'), {}, NOW);
    expect(file.jobs).toEqual(jobs.map(({ name, job }) => ({ name, job: mergeDefaults({}, job) })));
  });
});

// ---- nothing is dropped silently ----

const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,8}$/);
const anything = fc.oneof(
  word,
  fc.integer(),
  fc.boolean(),
  fc.dictionary(word, word, { maxKeys: 2 }),
  fc.array(word, { maxLength: 2 }),
);
const expression = fc.constantFrom(
  'rate(5 minutes)',
  'rate(1 hour)',
  'cron(0 10 * * ? *)',
  'cron(0/5 8-17 ? * MON-FRI *)',
  'at(2027-03-01T10:00:00)',
  'at(2020-03-01T10:00:00)',
  'cron(nonsense)',
);
const arn = fc.constantFrom(
  'arn:aws:lambda:eu-west-1:123456789012:function:f',
  'arn:aws:sqs:eu-west-1:123456789012:q',
  'arn:aws:sns:eu-west-1:123456789012:t',
  'arn:aws:events:eu-west-1:123456789012:event-bus/b',
  'arn:aws:ecs:eu-west-1:123456789012:cluster/c',
  'arn:aws:kinesis:eu-west-1:123456789012:stream/s',
  'arn:aws:scheduler:::aws-sdk:s3:deleteObject',
);
const input = fc.constantFrom(
  '{"a":1}',
  'text',
  '[1,"${X}"]',
  '{"containerOverrides":[{"name":"n","command":["c"]}]}',
  '{"containerOverrides":[{"name":"n","cpu":1}],"x":1}',
  '<aws.scheduler.execution-id>',
);
const target = fc.record(
  {
    Arn: arn,
    Id: word,
    RoleArn: word,
    Input: input,
    RetryPolicy: fc.record(
      {
        MaximumRetryAttempts: fc.integer({ min: 0, max: 185 }),
        MaximumEventAgeInSeconds: fc.integer({ min: 60, max: 86_400 }),
      },
      { requiredKeys: [] },
    ),
    DeadLetterConfig: fc.record({ Arn: word }),
    SqsParameters: fc.record({ MessageGroupId: word }),
    EventBridgeParameters: fc.record({ DetailType: word, Source: word }, { requiredKeys: ['Source'] }),
    EcsParameters: fc.record(
      {
        TaskDefinitionArn: word,
        TaskCount: fc.integer({ min: 1, max: 3 }),
        LaunchType: word,
        Tags: fc.array(fc.record({ Key: word, Value: word }), { maxLength: 2 }),
      },
      { requiredKeys: ['TaskDefinitionArn'] },
    ),
    KinesisParameters: fc.record({ PartitionKey: word }),
    Unknown: anything,
  },
  { requiredKeys: ['Arn'] },
);
const date = fc.constantFrom('2026-01-02T03:04:05.678000+01:00', '2027-01-02T03:04:05Z', 1_790_000_000.123);
const common = {
  Name: word,
  ScheduleExpression: expression,
  State: fc.constantFrom('ENABLED', 'DISABLED', 'ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS'),
  Description: word,
  Arn: word,
  Unknown: anything,
};
const schedule = fc.record(
  {
    ...common,
    Target: target,
    GroupName: fc.oneof(word, fc.constant('default')),
    ScheduleExpressionTimezone: fc.constantFrom('UTC', 'Europe/Paris', 'Mars/Olympus'),
    FlexibleTimeWindow: fc.record(
      {
        Mode: fc.constantFrom('OFF', 'FLEXIBLE', 'OTHER'),
        MaximumWindowInMinutes: fc.integer({ min: 1, max: 1440 }),
      },
      { requiredKeys: [] },
    ),
    StartDate: date,
    EndDate: date,
    CreationDate: date,
    LastModificationDate: date,
    KmsKeyArn: word,
    ActionAfterCompletion: fc.constantFrom('NONE', 'DELETE'),
  },
  { requiredKeys: ['Name'] },
);
const rule = fc.record(
  {
    ...common,
    Targets: fc.array(target, { minLength: 1, maxLength: 3 }),
    EventBusName: word,
    RoleArn: word,
    ManagedBy: word,
  },
  { requiredKeys: ['Name', 'Targets'] },
);

/** A copy of the record with another value at one path. */
function altered(value: unknown, path: readonly (string | number)[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined) {
    if (typeof value === 'number') return value + 1;
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? `${value}x` : 'another';
  }
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[first] = altered(copy[first], rest);
  return copy;
}

/** Overrides of containers: those that the task has, and others. */
const overrides = fc
  .record(
    {
      containerOverrides: fc.array(
        fc.record(
          {
            name: fc.oneof(word, fc.integer()),
            command: fc.oneof(fc.array(fc.oneof(word, fc.integer()), { maxLength: 2 }), word),
            environment: fc.oneof(
              fc.array(fc.oneof(fc.record({ name: word, value: word }), anything), { maxLength: 3 }),
              anything,
            ),
            cpu: fc.integer(),
          },
          { requiredKeys: [] },
        ),
        { maxLength: 2 },
      ),
      other: anything,
    },
    { requiredKeys: ['containerOverrides'] },
  )
  .map((value) => JSON.stringify(value));

describe('every field of an EventBridge record', () => {
  it('within the overrides of an ECS task has an effect on the job, or the overrides are in the report', () => {
    const imported = (Input: string) =>
      importEventBridge(
        [
          {
            ...{ Name: 'a', ScheduleExpression: 'cron(0 10 * * ? *)' },
            Target: {
              Arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/c',
              EcsParameters: { TaskDefinitionArn: 'report:7' },
              Input,
            },
          },
        ],
        NOW,
      );
    fc.assert(
      fc.property(overrides, (text) => {
        const { jobs, notes } = imported(text);
        expect(JSON.stringify(jobs)).not.toContain('undefined');
        if (notes.some(({ field }) => field === 'Target.Input')) return;
        const given = JSON.parse(text) as unknown;
        for (const leaf of leavesOf(given))
          expect(imported(JSON.stringify(altered(given, leaf))), fieldText(leaf)).not.toEqual({
            jobs,
            notes,
          });
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['{"id":12345678901234567890}', true],
    ['[0.12345678901234567890]', true],
    ['{"id":9007199254740991,"price":1.10,"text":"12345678901234567890"}', false],
  ])('a number of %s is in the report if it changes: %s', (Input, isReported) => {
    const Target = { Arn: 'arn:aws:lambda:eu-west-1:123456789012:function:f', Input };
    const { notes } = importEventBridge(
      [{ Name: 'a', ScheduleExpression: 'cron(0 9 * * ? *)', Target }],
      NOW,
    );
    expect(notes.map(({ kind, field }) => `${kind} ${field}`)).toEqual(
      isReported ? ['changed Target.Input'] : [],
    );
  });

  it.each(['constructor', 'toString', '__proto__'])('a target of the service %s is refused', (service) => {
    const Target = { Arn: `arn:aws:${service}:eu-west-1:123456789012:x` };
    const { jobs, notes } = importEventBridge(
      [{ Name: 'a', ScheduleExpression: 'rate(5 minutes)', Target }],
      NOW,
    );
    expect(jobs).toEqual([]);
    expect(notes).toMatchObject([{ kind: 'refused', reason: expect.stringContaining('has no task') }]);
  });

  it.each([
    ['schedule', schedule],
    ['rule', rule],
  ] as const)('of a %s has an effect on the job, or is in the report', (_what, records) => {
    fc.assert(
      fc.property(records as fc.Arbitrary<object>, (record) => {
        const result = importEventBridge([record], NOW);
        const whole = result.notes.some(({ kind, field }) => kind === 'refused' && field === '');
        expect(result.jobs.length > 0 || result.notes.some(({ kind }) => kind === 'refused')).toBe(true);
        if (whole) return;
        const reported = result.notes.map(({ field }) => field);
        for (const leaf of leavesOf(record)) {
          const text = fieldText(leaf);
          if (reported.some((field) => field === text || (field !== '' && text.startsWith(`${field}.`))))
            continue;
          // a field that was used changes the result
          const other = importEventBridge([altered(record, leaf)], NOW);
          expect(JSON.stringify(other), `${text} has no effect and is not reported`).not.toBe(
            JSON.stringify(result),
          );
        }
      }),
      { numRuns: 400 },
    );
  });

  it('of a list and of what surrounds it is reported too', () => {
    const { jobs, notes } = importEventBridge(
      [{ Schedules: [], NextToken: 'x', Other: { a: 1 } }, 7, [{ a: 1 }]],
      NOW,
    );
    expect(jobs).toEqual([]);
    expect(notes.map(({ kind, field }) => `${kind} ${field}`)).toEqual([
      'dropped NextToken',
      'dropped Other.a',
      'refused ',
      'refused ',
    ]);
  });

  it.each([
    [
      'list-schedules alone',
      { Schedules: [{ Name: 'a', State: 'ENABLED', Target: { Arn: 'x' } }] },
      /export it with get-schedule/,
    ],
    [
      'a rule without targets',
      { Rules: [{ Name: 'a', ScheduleExpression: 'rate(1 day)', EventBusName: 'default' }] },
      /add the output of list-targets-by-rule/,
    ],
    [
      'a rule that matches events',
      { Rules: [{ Name: 'a', EventPattern: '{}', State: 'ENABLED' }] },
      /matches events/,
    ],
  ])('%s is refused with what to do', (_what, value, reason) => {
    const { notes } = importEventBridge([value], NOW);
    expect(notes.find(({ kind }) => kind === 'refused')?.reason).toMatch(reason);
  });

  it('a rule with several targets becomes several jobs, and a target without a task is refused alone', () => {
    const targets = [
      { Id: 'one', Arn: 'arn:aws:lambda:eu-west-1:123456789012:function:f', Input: '{}' },
      { Id: 'two', Arn: 'arn:aws:kinesis:eu-west-1:123456789012:stream/s' },
      { Id: 'three', Arn: 'arn:aws:sqs:eu-west-1:123456789012:q', Input: 'hi' },
    ];
    const { jobs, notes } = importEventBridge(
      [{ Name: 'r', ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED', Targets: targets }],
      NOW,
    );
    expect(jobs.map(({ name }) => name)).toEqual(['r-one', 'r-three']);
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'refused', field: 'Targets[1]' }));
  });

  it('a rule of which all targets are refused is refused with all reasons', () => {
    const Targets = [
      { Id: 'a', Arn: 'x' },
      { Id: 'b', Arn: 'arn:aws:kinesis:eu-west-1:123456789012:stream/s' },
    ];
    const { jobs, notes } = importEventBridge(
      [{ Name: 'r', ScheduleExpression: 'rate(5 minutes)', Targets }],
      NOW,
    );
    expect(jobs).toEqual([]);
    expect(notes).toMatchObject([
      {
        kind: 'refused',
        field: '',
        reason: expect.stringMatching(/not an ARN: x; .*no task for .*stream\/s/),
      },
    ]);
  });
});

describe('a crontab', () => {
  const options = { system: false, timezone: undefined };

  it.each([
    ['17 2 * * * /usr/bin/backup', { cron: '17 2 * * *' }],
    ['@daily /usr/bin/backup', { cron: '@daily' }],
    ['0 9 13 * FRI x', { cron: '0 9 13 * FRI' }],
    ['0 9 */1 * FRI x', { cron: '0 9 */1 * FRI' }],
    ['0 9 1-7 * * x', { cron: '0 9 1-7 * *' }],
    ['0 9 */10 * MON x', { calendar: { date: [1, 11, 21, 31], hour: [9], minute: [0], daysOfWeek: [1] } }],
    [
      '*/30 0-1 1 jan */2 x',
      { calendar: { month: [1], date: [1], hour: [0, 1], minute: [0, 30], daysOfWeek: [0, 2, 4, 6] } },
    ],
  ])('%s', (line, expected) => {
    expect(importCrontab(line, options, NOW).jobs[0]?.job.schedule).toEqual(expected);
  });

  /** cron runs on a day if both fields match, or if neither begins with `*` and one matches. */
  it('runs on the days of Debian’s cron', () => {
    const day = fc.constantFrom('*', '*/2', '*/7', '1', '1-7', '10-20/3', '5,15');
    const weekday = fc.constantFrom('*', '*/2', '*/3', '0', '7', '1-5', 'MON', 'sun,wed');
    const values = (field: string, min: number, max: number) => {
      const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
      const number = (text: string) =>
        names.includes(text.toUpperCase()) ? names.indexOf(text.toUpperCase()) : Number(text);
      return new Set(
        field.split(',').flatMap((part) => {
          const [range = '', step = '1'] = part.split('/');
          const [from = 0, to = from] = range === '*' ? [min, max] : range.split('-').map(number);
          return Array.from({ length: 40 }, (_, i) => from + i * Number(step)).filter((value) => value <= to);
        }),
      );
    };
    fc.assert(
      fc.property(day, weekday, (dom, dow) => {
        const [imported] = importCrontab(`0 12 ${dom} * ${dow} x`, options, NOW).jobs;
        if (!imported) throw new Error('refused');
        const got = new Set(nextTimes(mergeDefaults({}, imported.job), 400).map((time) => time.slice(0, 10)));
        const [days, weekdays] = [values(dom, 1, 31), values(dow, 0, 7)];
        for (let i = 1; i < 200; i++) {
          const date = new Date(Date.UTC(2026, 10, 16 + i));
          const [a, b] = [
            days.has(date.getUTCDate()),
            weekdays.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekdays.has(7)),
          ];
          const runs = dom.startsWith('*') || dow.startsWith('*') ? a && b : a || b;
          const text = date.toISOString().slice(0, 10);
          expect(got.has(text), `${dom} ${dow} on ${text}`).toBe(runs);
        }
      }),
    );
  });

  it('carries over or reports every line', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        '# a comment',
        '@reboot x',
        '@daily run',
        '0 2 * * * root /bin/x 50\\% %in',
        '-5 * * * * y',
        '0~9 * * * * z',
        'nonsense',
        '99 * * * * x',
      ),
      fc
        .tuple(
          fc.constantFrom('MAILTO', 'PATH', 'SHELL', 'TZ', 'CRON_TZ', 'RANDOM_DELAY', 'AWS_X', 'HOME'),
          fc.constantFrom('a', '"b c"', '7', 'UTC'),
        )
        .map(([a, b]) => `${a}=${b}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, system) => {
        const imported = (text: string) =>
          JSON.stringify(importCrontab(text, { system, timezone: undefined }, NOW));
        const whole = imported([...lines, '0 5 * * * u last'].join('\n'));
        for (const [i, one] of lines.entries()) {
          if (one.trim() === '') continue;
          const { notes } = JSON.parse(whole) as { notes: { record: string }[] };
          if (notes.some(({ record }) => record === `line ${i + 1}`)) continue;
          // a line without a note changes the jobs
          const without = lines.map((other, j) => (i === j ? '' : other));
          const repeated = lines.some((other, j) => j !== i && other.split('=')[0] === one.split('=')[0]);
          if (!repeated) expect(imported([...without, '0 5 * * * u last'].join('\n')), one).not.toBe(whole);
        }
      }),
    );
  });

  it.each(['5/15 * * * *', '0 8/2 * * *', '0 9 1,10/5 * *', '0 9 * jan/3 *', '0 9 */2 * 1/2'])(
    'refuses %s, because a step without a range is refused or ignored by cron',
    (times) => {
      const { jobs, notes } = importCrontab(`${times} x`, { system: false, timezone: 'UTC' }, NOW);
      expect(jobs).toEqual([]);
      expect(notes).toMatchObject([
        {
          kind: 'refused',
          reason: expect.stringMatching(/has a step without a range.*write "\w+", or a range/),
        },
      ]);
    },
  );

  it('asks for --system if a command begins with root', () => {
    const line = '17 * * * * root cd / && run-parts /etc/cron.hourly';
    const { notes } = importCrontab(line, { system: false, timezone: 'UTC' }, NOW);
    expect(notes).toMatchObject([
      { kind: 'changed', field: 'command', value: 'root', reason: expect.stringContaining('--system') },
    ]);
  });

  it('keeps variables whose names every object has', () => {
    const text = 'constructor=1\ntoString=2\n__proto__=3\n0 2 * * * x';
    const { jobs, notes } = importCrontab(text, { system: false, timezone: 'UTC' }, NOW);
    expect(Object.entries(Object(jobs[0]?.job.params?.environment))).toEqual([
      ['constructor', '1'],
      ['toString', '2'],
      ['__proto__', '3'],
    ]);
    expect(notes).toEqual([]);
  });

  it('refuses a line that never runs, because plan would refuse the whole file', () => {
    expect(importCrontab('0 2 30 2 * x', { system: false, timezone: 'UTC' }, NOW)).toMatchObject({
      jobs: [],
      notes: [{ kind: 'refused', record: 'line 1', reason: 'it has no run from now on' }],
    });
  });

  it('keeps every line of the input of a command', () => {
    const { jobs } = importCrontab(
      '0 2 * * * cat%EOF%EOF_%END_OF_INPUT%echo x',
      { system: false, timezone: 'UTC' },
      NOW,
    );
    const source = String(jobs[0]?.job.params?.source);
    const printed = execFileSync('sh', ['-c', source], { encoding: 'utf8' });
    expect(printed).toBe('EOF\nEOF_\nEND_OF_INPUT\necho x\n');
  });

  it('has the environment, the input and the names of its commands', () => {
    const text = `PATH=/usr/bin\n# nightly\n0 2 * * * cd /srv && A=1 /opt/backup.sh\n0 3 * * * /opt/backup.sh%one%two 5\\%`;
    const { jobs } = importCrontab(text, { system: false, timezone: 'Europe/Paris' }, NOW);
    expect(jobs).toMatchObject([
      {
        name: 'backup.sh',
        comment: 'nightly',
        job: { params: { environment: { PATH: '/usr/bin' } }, schedule: { timezone: 'Europe/Paris' } },
      },
      { name: 'backup.sh-2', job: { params: { source: "{ /opt/backup.sh\n} <<'EOF'\none\ntwo 5%\nEOF\n" } } },
    ]);
  });
});

describe('the file', () => {
  it('has no variables that the source did not mean', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', '"', '\n', ' ', '#') }),
        (command) => {
          const job = { task: 'script', params: { language: 'shell', source: command }, schedule: '@daily' };
          const text = yamlOf('n', [{ name: 'a', job }], 'x');
          expect(readJobsFile(text, {}, NOW).jobs[0]?.job.params).toEqual(job.params);
        },
      ),
      { examples: [[' \n'], ['\n \n'], ['  \n\n']] },
    );
  });

  it('reads one JSON value, or several after each other', () => {
    const values = fc.array(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(values, (documents) => {
        const text = documents.map((value) => JSON.stringify(value, undefined, 2)).join('\n');
        expect(jsonDocuments(text)).toEqual(documents.map((value) => JSON.parse(JSON.stringify(value))));
      }),
    );
    expect(() => jsonDocuments('{} x')).toThrow();
    expect(() => jsonDocuments('')).toThrow();
  });
});

describe('punctual import', () => {
  it('prints the file to stdout and the report to stderr', async () => {
    const { code, out, err } = await cli(['import', 'eventbridge', 'schedules.json', '--namespace', 'eb'], {
      input: EXPORT,
    });
    expect(code).toBe(0);
    expect(out).toMatch(
      /^# imported from eventbridge by punctual import\n\nversion: 1\nnamespace: eb\njobs:\n/,
    );
    expect(err).toContain(
      "dropped Target.RoleArn: the worker's role is used; allow it to reach the target (every-day-10, every-day-1215, weekdays-18 and 37 more)",
    );
    expect(err.split('\n').at(-1)).toBe('imported 40 jobs');
  });

  it('exits with 1 if something was refused, and with 2 for a wrong command line', async () => {
    expect(await cli(['import', 'crontab', '-'], { input: '@reboot x' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('refused line 1: @reboot'),
    });
    for (const words of [
      ['import', 'quartz', 'x'],
      ['import', 'crontab'],
      ['import', 'eventbridge', 'x', '--system'],
      ['import', 'crontab', '-', '--namespace', 'a b'],
    ])
      expect((await cli(words, { input: '{}' })).code, words.join(' ')).toBe(2);
    expect((await cli(['import', 'eventbridge', 'x'], { input: '{' })).code).toBe(2);
  });
});
