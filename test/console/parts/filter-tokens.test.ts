import { describe, expect, it } from 'vitest';
import { filterOf, filterOfTokens, tokensOf, withFilter } from '../../../console/parts/filter-tokens.ts';
import { bulkOf, jobProperties, jobsQuery, listCommand } from '../../../console/screens/jobs/job-filter.ts';

const properties = jobProperties(['noop'], false);

describe('the filter of a list', () => {
  it('is the same in the address and in the bar', () => {
    const params = new URLSearchParams('name=a%20b&tag=team:x&other=1&status=');
    const filter = filterOf(params, properties);
    expect(filter).toEqual({ name: 'a b', tag: 'team:x' });
    expect(filterOfTokens(tokensOf(filter, properties), properties)).toEqual(filter);
  });

  it('has one value per property, and takes a text without a property as a name', () => {
    const tokens = [
      { propertyKey: 'status', operator: '=', value: 'active' },
      { propertyKey: 'status', operator: '=', value: 'paused' },
      { operator: '^', value: ' nightly ' },
      { propertyKey: 'task', operator: '=', value: ' ' },
    ];
    expect(filterOfTokens(tokens, properties)).toEqual({ status: 'paused', name: 'nightly' });
  });

  it('leaves other parameters of the address', () => {
    const next = withFilter(
      new URLSearchParams('tz=utc&name=a&sort=-next'),
      { status: 'paused' },
      properties,
    );
    expect(next.toString()).toBe('tz=utc&sort=-next&status=paused');
  });

  it('offers the owner to operators only', () => {
    expect(properties.map(({ key }) => key)).not.toContain('owner');
    expect(jobProperties([], true).map(({ key }) => key)).toContain('owner');
  });
});

describe('the filter of jobs', () => {
  it('becomes a request, a bulk change and a command', () => {
    expect(jobsQuery({ status: 'active' })).toEqual({ status: 'active', include: 'recent', limit: 100 });
    expect(listCommand({ tag: 'team:a b', status: 'active' })).toBe(
      "punctual list --recent --tag 'team=a b' --status active",
    );
    expect(bulkOf('pause', { tag: 'team:x' }, 'why')).toEqual({
      action: 'pause',
      filter: { tag: 'team:x' },
      note: 'why',
    });
  });

  it('asks for all jobs expressly, if nothing narrows it', () => {
    expect(bulkOf('cancel', { status: 'paused' }, undefined)).toEqual({
      ...{ action: 'cancel', filter: { status: 'paused' }, all: true },
    });
  });
});
