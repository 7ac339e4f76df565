// How late an execution started.
import { lengthText } from '../../src/domain/length-text.ts';
import { isLate } from '../marks/run-strip-geometry.ts';

/** Undefined if it has not started. */
export function Late({ latenessMs }: { latenessMs: number | undefined }) {
  if (latenessMs === undefined) return '–';
  const text = (
    <>
      {lengthText(latenessMs)}
      <span className="only-phone"> late</span>
    </>
  );
  return isLate({ latenessMs }) ? <strong className="late">{text}</strong> : text;
}
