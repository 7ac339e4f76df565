import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, it } from 'vitest';
import { createLog, logTo } from '../../src/runtime/log.ts';

describe('the log', () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const last = () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;

  it('writes one JSON object per line with the fields of the log and of the line', () => {
    createLog('info', { worker: 'w1' }, write).warn('late', { ms: 5 });
    expect(lines.at(-1)).toMatch(/^\{.*\}\n$/);
    expect(last()).toMatchObject({ level: 'WARN', message: 'late', worker: 'w1', ms: 5 });
  });

  it('writes nothing below its level', () => {
    const before = lines.length;
    createLog('warn', {}, write).info('hidden');
    createLog('silent', {}, write).error('hidden');
    expect(lines).toHaveLength(before);
  });

  it('writes message, code and cause of an error', () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    createLog('info', {}, write).error('failed', { error: new Error('no answer', { cause }) });
    expect(last()).toMatchObject({
      error: { message: 'no answer', cause: { message: 'refused', code: 'ECONNREFUSED' } },
    });
  });

  it('never throws for values that JSON cannot represent', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    createLog('info', {}, write).info('loop', { loop, big: 1n });
    expect(last()).toMatchObject({ message: 'loop' });
    const error = new Error('its own cause');
    error.cause = error;
    createLog('info', {}, write).error('cause', { error });
    expect(last()).toMatchObject({ message: 'cause', error: { message: 'its own cause' } });
  });
});

it('has the same fields in a Lambda', () => {
  const written: Record<string, unknown>[] = [];
  const keep = (line: string) => void written.push(JSON.parse(line));
  const console = Object.fromEntries(['debug', 'info', 'warn', 'error'].map((name) => [name, keep]));
  const logger = new Logger({ serviceName: 'punctual-test', logLevel: 'DEBUG' });
  Object.assign(logger, { console });
  const error = Object.assign(new Error('no answer', { cause: new Error('refused') }), { code: 'E1' });
  for (const log of [createLog('debug', { service: 'punctual-test' }, keep), logTo(logger)])
    log.warn('failed', { jobId: 'job_1', error });
  const [own, lambda] = written.map(
    (line): Record<string, unknown> => ({ ...line, timestamp: typeof line.timestamp }),
  );
  expect(lambda).toEqual({ ...own, sampling_rate: lambda?.sampling_rate });
  expect(own).toMatchObject({ level: 'WARN', service: 'punctual-test', error: { code: 'E1' } });
});
