import { describe, expect, it } from 'vitest';
import { examples } from '../../../console/parts/examples.ts';
import {
  MAX_VIEWS,
  viewQuery,
  viewsOf,
  withoutView,
  withView,
} from '../../../console/screens/jobs/saved-views.ts';
import { targetOf } from '../../../console/shell/search-targets.ts';
import { jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';

describe('saved views', () => {
  it('are replaced by name, ordered and bounded', () => {
    const views = withView(withView([{ name: 'b', query: 'x=1' }], { name: 'a', query: '' }), {
      name: 'b',
      query: 'x=2',
    });
    expect(views).toEqual([
      { name: 'a', query: '' },
      { name: 'b', query: 'x=2' },
    ]);
    expect(withoutView(views, 'a')).toEqual([{ name: 'b', query: 'x=2' }]);
    const many = Array.from({ length: 50 }, (_, index) => ({ name: String(index), query: '' }));
    expect(withView(many, { name: 'z', query: '' })).toHaveLength(MAX_VIEWS);
  });

  it.each([undefined, '', 'x', '{}', 'null', '[1, null, {"name": ""}, {"name": "a"}]'])(
    'has none in %j',
    (text) => {
      expect(viewsOf(text)).toEqual([]);
    },
  );

  it('have no zone, and do not depend on the order of parameters', () => {
    expect(viewQuery(new URLSearchParams('tz=utc&task=b&name=a'))).toBe('name=a&task=b');
  });
});

describe('the examples of an empty console', () => {
  it.each(examples('Europe/Paris'))('$title is a valid job', ({ job }) => {
    expect(jobSpecSchema.safeParse(job).error?.issues).toBeUndefined();
  });
});

describe('an id in the search', () => {
  const job = 'job_4fGh7Kx0QpLmN2sT9vWz';

  it('leads to its page, also inside of a link or quotes', () => {
    expect(targetOf(` ${job} `)).toEqual({ kind: 'job', id: job, path: `/jobs/${job}` });
    expect(targetOf(`${job}.1796119200000-a1`)?.path).toBe(`/executions/${job}.1796119200000-a1`);
    expect(targetOf('op_7Kx0QpLmN2sT9vWz4fGh')).toMatchObject({ kind: 'operation', path: undefined });
    expect(targetOf(`https://x.example/console/jobs/${job}?tz=utc`)?.id).toBe(job);
    expect(targetOf(`"jobId": "${job}",`)?.id).toBe(job);
  });

  it.each(['', 'nightly', 'job_', 'job_short', `${job}x`, 'op_'])('is none in %j', (text) => {
    expect(targetOf(text)).toBeUndefined();
  });
});
