// The deadline of writers. A writer gives up before settle can pass the entries that it has written (docs/protocol.md#plan, step 2).
// A writer whose clock was corrected since it began gives up too, because its entries are for another time.
import type { Context } from '../context.ts';

export class WriterTooSlow extends Error {
  override readonly name = 'WriterTooSlow';
}

/** The result throws if the deadline has passed. It is called before every write that makes earlier writes take effect. */
export function writerDeadline({ clock, settings }: Context): () => void {
  const began = clock.monotonic();
  const t0 = clock.now();
  return () => {
    const passed = clock.monotonic() - began;
    if (Math.abs(clock.now() - t0 - passed) > settings.clockSkewMs)
      throw new WriterTooSlow('the clock was corrected during the request; nothing was changed, try again');
    if (/* [rule deadline] */ passed > settings.writerDeadlineMs) {
      throw new WriterTooSlow(
        `gave up after ${settings.writerDeadlineMs} ms; nothing was changed, try again`,
      );
    }
  };
}
