// The job in the form: requests, edits, and the draft in the address.
import { describe, expect, it } from 'vitest';
import {
  fragmentOf,
  keptFields,
  keptIn,
  MAX_DRAFT_LENGTH,
  restored,
} from '../../../console/screens/edit/draft/draft-address.ts';
import {
  applyFields,
  changesBetween,
  draftOfJob,
  duplicateOf,
  emptyDraft,
  type JobDraft,
  requestOf,
} from '../../../console/screens/edit/draft/job-draft.ts';
import type { Job } from '../../../src/client/types.ts';
import { jobPatchSchema, jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';

const START = emptyDraft('Europe/Paris');
const FULL: JobDraft = {
  name: 'nightly "report", 100 % — ü',
  task: 'http',
  params: { url: 'https://example.com/hook?a=b&c=#d', body: { list: [1, null, { deep: true }] } },
  schedule: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris', except: ['2026-12-25'], jitterSeconds: 30 },
  retry: { maxAttempts: 5, backoffSeconds: 2, maxBackoffSeconds: 900 },
  timeoutSeconds: 60,
  overlap: 'queue',
  misfire: { policy: 'skip', graceSeconds: 60 },
  limit: { key: 'billing', concurrent: 2 },
  notify: [{ on: ['failed', 'late'], lateSeconds: 5, webhook: { url: 'https://example.com/alert' } }],
  tags: [['team', 'billing']],
};

const JOB = {
  id: 'job_4fGh7Kx0QpLmN2sT9vWz',
  status: 'active',
  version: 3,
  createdAt: '2026-11-18T00:00:00.000Z',
  updatedAt: '2026-11-18T00:00:00.000Z',
  ...jobSpecSchema.parse({
    name: 'hourly',
    task: 'noop',
    schedule: { every: 'PT1H', startAt: '2026-11-18T00:00:00Z' },
  }),
} as Job;

function storage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => items.set(key, text),
  };
}

describe('the request', () => {
  it('leaves out defaults, and is valid by the schema of the server', () => {
    const request = requestOf({ ...START, task: 'noop' });
    expect(request).toEqual({
      task: 'noop',
      schedule: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' },
    });
    expect(jobSpecSchema.safeParse(request).success).toBe(true);
  });

  it('has no tag of a row that nothing was typed into', () => {
    const tags = [
      ['', ''],
      ['team', 'billing'],
    ] as const;
    expect(requestOf({ ...START, task: 'noop', tags }).tags).toEqual({ team: 'billing' });
    expect(changesBetween(START, { ...START, tags: [['', '']] })).toEqual({});
    expect(requestOf({ ...START, task: 'noop', tags: [['', 'x']] }).tags).toEqual({ '': 'x' });
  });

  it('has every field that the user has set', () => {
    const request = requestOf(FULL);
    expect(jobSpecSchema.parse(request)).toMatchObject({
      retry: { maxAttempts: 5, backoffSeconds: 2 },
      misfire: { policy: 'skip', graceSeconds: 60 },
      limit: { key: 'billing', concurrent: 2 },
      tags: { team: 'billing' },
    });
    expect(Object.keys(request).slice(0, 4)).toEqual(['name', 'task', 'params', 'schedule']);
  });

  it('sends a text that is not a number, so that the server refuses it at its field', () => {
    const { error } = jobSpecSchema.safeParse(requestOf({ ...START, task: 'noop', timeoutSeconds: 'soon' }));
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['timeoutSeconds']);
  });
});

describe('the edit', () => {
  const draft = draftOfJob(JOB);

  it('is empty without changes', () => {
    expect(changesBetween(draft, draftOfJob(JOB))).toEqual({});
  });

  it('has the changed fields only, and null for a limit that is removed', () => {
    const limited = { ...draft, limit: { key: 'k', concurrent: 1 } };
    const changes = changesBetween(limited, { ...draft, retry: { ...draft.retry, maxAttempts: 9 } });
    expect(changes).toEqual({ retry: { maxAttempts: 9 }, limit: null });
    expect(jobPatchSchema.safeParse(changes).success).toBe(true);
  });

  it('shows the time of a resolved delay, which is the only kind that can be edited', () => {
    const { schedule } = draftOfJob({ ...JOB, schedule: { in: 'PT1M', at: '2026-11-18T00:01:00.000Z' } });
    expect(schedule).toEqual({ at: '2026-11-18T00:01:00.000Z' });
  });

  it('names a duplicate, within the maximum length', () => {
    expect(duplicateOf(JOB).name).toBe('hourly copy');
    expect(duplicateOf({ ...JOB, name: 'x'.repeat(100) }).name).toHaveLength(100);
  });
});

describe('the draft in the address', () => {
  const roundTrip = (start: JobDraft, draft: JobDraft): JobDraft => {
    const tab = storage();
    const fragment = fragmentOf({ fields: keptFields(start, draft) }, 'new', tab);
    const kept = keptIn(new URL(`http://127.0.0.1/console/jobs/new${fragment}`).hash, tab);
    return kept ? restored(start, kept) : start;
  };

  it('restores every field', () => {
    expect(roundTrip(START, FULL)).toEqual(FULL);
    expect(roundTrip(FULL, START)).toEqual({ ...START, name: '' });
    expect(roundTrip(START, { ...START, schedule: undefined })).toEqual({ ...START, schedule: undefined });
  });

  it('is absent while nothing has changed', () => {
    expect(fragmentOf({ version: 3, fields: {} }, 'job', storage())).toBe('');
    expect(keptIn('', storage())).toBeUndefined();
  });

  it('stays in the tab if it is long', () => {
    const tab = storage();
    const long = { ...START, params: { source: 'x'.repeat(MAX_DRAFT_LENGTH) } };
    const fragment = fragmentOf({ version: 2, fields: keptFields(START, long) }, 'new', tab);
    expect(fragment).toBe('#kept=new');
    expect(keptIn(fragment, tab)?.version).toBe(2);
    expect(roundTrip(START, long)).toEqual(long);
    expect(keptIn(fragment, storage())).toBeUndefined();
  });

  it.each([
    '#draft=nonsense',
    '#draft={"fields":[1]}',
    '#draft={"fields":null}',
    '#draft=5',
    '#draft={"fields":{"name":5,"task":{},"params":[],"retry":7,"overlap":"never","misfire":"x","limit":[],"notify":{},"tags":3,"schedule":{"cron":[]}}}',
  ])('ignores what is not a draft: %s', (fragment) => {
    const kept = keptIn(fragment, storage());
    expect(kept ? restored(START, kept) : START).toEqual(START);
  });

  it('drops notifications without events, and keeps texts of unknown tags', () => {
    const draft = applyFields(START, {
      notify: [5, { on: ['failed', 'hatched'], email: { to: 'a@b.c' } }],
      tags: { a: 1 },
    });
    expect(draft.notify).toEqual([{ on: ['failed'], email: { to: 'a@b.c' } }]);
    expect(draft.tags).toEqual([['a', '1']]);
  });
});
