// X-Ray's trace header (`Root=1-…;Parent=…;Sampled=1`): how a runtime reads the one it was called with, and how it begins
// or continues a trace.
import { randomBytes } from 'node:crypto';
import type { Environment } from './config.ts';

export interface Trace {
  readonly root: string;
  /** The segment that caused what follows. Absent: this is the beginning. */
  readonly parent?: string;
}

/** Lambda sets it anew for each call, so it is read when it is needed. */
const OF_THIS_CALL = '_X_AMZN_TRACE_ID';

/** Of the call that a Lambda is in, if it is one of those that X-Ray records. */
export function traceOfCall(env: Environment): string | undefined {
  const trace = sampledTrace(env[OF_THIS_CALL]);
  return trace && headerOf(trace);
}

/** Undefined when it is no header, or of a trace that is not recorded. */
export function sampledTrace(header: string | undefined): Trace | undefined {
  const fields = new Map(
    (header ?? '').split(';').map((field) => field.trim().split('=', 2) as [string, string]),
  );
  const root = fields.get('Root') ?? '';
  const parent = fields.get('Parent') ?? '';
  if (fields.get('Sampled') !== '1' || !/^1-[0-9a-f]{8}-[0-9a-f]{24}$/.test(root)) return undefined;
  return { root, ...(/^[0-9a-f]{16}$/.test(parent) && { parent }) };
}

export const headerOf = ({ root, parent }: Trace): string =>
  [`Root=${root}`, ...(parent === undefined ? [] : [`Parent=${parent}`]), 'Sampled=1'].join(';');

/** X-Ray wants the second in which a trace began in its id. */
export const newTrace = (now: number): Trace => ({
  root: `1-${Math.floor(now / 1000).toString(16)}-${randomBytes(12).toString('hex')}`,
});

export const newSegmentId = (): string => randomBytes(8).toString('hex');
