// X-Ray's trace header (`Root=1-…;Parent=…;Sampled=1`): reads the header of a call, and starts or continues a trace.
import { randomBytes } from 'node:crypto';
import type { Environment } from './config.ts';

export interface Trace {
  readonly root: string;
  /** The segment that this one follows. Absent in the first segment of a trace. */
  readonly parent?: string;
}

/** Lambda sets the variable for each invocation, so it is read each time. */
const OF_THIS_CALL = '_X_AMZN_TRACE_ID';

/** The trace header of the current invocation. Undefined if X-Ray does not record it. */
export function traceOfCall(env: Environment): string | undefined {
  const trace = sampledTrace(env[OF_THIS_CALL]);
  return trace && headerOf(trace);
}

/** Undefined if the text is not a trace header, or if the trace is not sampled. */
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

/** X-Ray requires the start time of the trace, in seconds, in its id. */
export const newTrace = (now: number): Trace => ({
  root: `1-${Math.floor(now / 1000).toString(16)}-${randomBytes(12).toString('hex')}`,
});

export const newSegmentId = (): string => randomBytes(8).toString('hex');
