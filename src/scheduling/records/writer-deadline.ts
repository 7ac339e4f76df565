// A writer gives up before settle could pass the entries that it has written (docs/protocol.md#plan, step 2). So does one whose clock
// was corrected since it began: its entries are of another time.
import type { Context } from '../context.ts';

export class WriterTooSlow extends Error {
  override readonly name = 'WriterTooSlow';
}

/** Call the result before every write that makes earlier ones count. */
export function writerDeadline({ clock, settings }: Context): () => void {
  const began = clock.monotonic();
  const t0 = clock.now();
  return () => {
    const passed = clock.monotonic() - began;
    if (Math.abs(clock.now() - t0 - passed) > settings.clockSkewMs)
      throw new WriterTooSlow('the clock was corrected meanwhile; nothing was decided, try again');
    if (passed > settings.writerDeadlineMs) {
      throw new WriterTooSlow(
        `gave up after ${settings.writerDeadlineMs} ms; nothing was decided, try again`,
      );
    }
  };
}
