// docs/schedules.md: every example on the page is computed, and every kind, option and warning is on it.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { InvalidInput } from '../../../src/domain/errors.ts';
import { jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';
import { isoIn } from '../../../src/domain/schedule/instant.ts';
import { previewSchedule } from '../../../src/domain/schedule/preview.ts';
import { resolveSchedule } from '../../../src/domain/schedule/resolve.ts';
import { type ScheduleInput, scheduleSchema } from '../../../src/domain/schedule/schedule-schema.ts';
import { SCHEDULE_WARNINGS } from '../../../src/domain/schedule/warnings.ts';

const page = readFileSync('docs/schedules.md', 'utf8');
const CREATED = Date.parse('2026-11-30T12:00:00Z');

interface Example {
  readonly schedule: string;
  readonly from: string | undefined;
  readonly next: string[];
  readonly says: string[];
  readonly warns: string[];
  readonly refused: string | undefined;
}

function exampleOf(block: string): Example {
  const [schedule = '', ...lines] = block.trim().split('\n');
  const of = (word: string) =>
    lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length).trim());
  const understood = ['from ', 'next ', 'says ', 'warns ', '400 '].flatMap(of);
  expect(understood, block).toHaveLength(lines.length);
  const [[from], [refused]] = [of('from '), of('400 ')];
  return { schedule, from, next: of('next '), says: of('says '), warns: of('warns '), refused };
}

const blocks = [...page.matchAll(/^```schedule\n(.*?)^```$/gms)].map(([, block = '']) => exampleOf(block));

function previewed({ schedule, from, next }: Example) {
  const input = JSON.parse(schedule) as ScheduleInput;
  const after = from === undefined ? undefined : Date.parse(from) - 1;
  return previewSchedule(resolveSchedule(input, CREATED), { count: next.length + 1, after, now: CREATED });
}

describe('examples', () => {
  test('are many', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(30);
  });

  test.each(blocks.filter(({ refused }) => refused !== undefined))('$schedule is refused', (example) => {
    expect(() => previewed(example)).toThrow(InvalidInput);
    expect(() => previewed(example)).toThrow(example.refused);
  });

  test.each(blocks.filter(({ refused }) => refused === undefined))('$schedule', (example) => {
    const zone = (JSON.parse(example.schedule) as ScheduleInput).timezone ?? 'UTC';
    const { fireTimes, description, warnings } = previewed(example);
    expect(example.next.length).toBeGreaterThan(0);
    const times = fireTimes.map((time) => isoIn(zone, Date.parse(time)));
    const shown = [...times, ...(times.length < example.next.length ? ['none'] : [])];
    expect(shown.slice(0, example.next.length)).toEqual(example.next);
    for (const sentence of example.says) expect(description).toBe(sentence);
    const said = warnings.map(({ kind, message }) => `${kind}: ${message}`);
    // what clocks do in the coming year is not the point of an example about other years
    expect(said.filter((text) => !text.startsWith('dst'))).toEqual(example.warns);
  });
});

const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| (\d{4}-[^|]+) \|$/gm)].map(
  ([, cron = '', says = '', next = '']) => ({ cron, says, next: next.split(', ') }),
);

describe('the table of patterns', () => {
  test('is long', () => {
    expect(rows.length).toBeGreaterThanOrEqual(20);
  });

  test.each(rows)('$cron', ({ cron, says, next }) => {
    const preview = previewSchedule(resolveSchedule({ cron }, CREATED), { count: next.length, now: CREATED });
    expect(preview.description).toBe(`${says}, UTC`);
    const shown = preview.fireTimes.map((time) => time.slice(0, 19).replace('T', ' '));
    expect(shown).toEqual(next.map((time) => (time.length === 16 ? `${time}:00` : time)));
  });
});

test('jobs on the page are jobs', () => {
  const jobs = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => JSON.parse(text));
  expect(jobs.length).toBeGreaterThan(0);
  for (const job of jobs) expect(jobSpecSchema.safeParse(job).error).toBeUndefined();
});

test('every kind, option and warning is on the page', () => {
  const fields = Object.keys(scheduleSchema.shape);
  expect(fields.length).toBeGreaterThanOrEqual(10);
  for (const name of [...fields, ...SCHEDULE_WARNINGS]) expect(page).toContain(`\`${name}\``);
  for (const value of ['runOnce', 'runAll', 'skip', 'queue', 'allow'])
    expect(page).toContain(`| \`${value}\``);
});

test('the decisions that it names are there, and other pages lead to it', () => {
  for (const [, path = ''] of page.matchAll(/\]\((decisions\/[^)]+)\)/g))
    expect(readFileSync(`docs/${path}`, 'utf8')).toMatch(/^# \d+\. /);
  expect(readFileSync('README.md', 'utf8')).toContain('(docs/schedules.md)');
  expect(readFileSync('docs/api.md', 'utf8')).toContain('(schedules.md)');
});
