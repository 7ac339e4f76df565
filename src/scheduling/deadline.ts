// A writer gives up before settle could pass the entries that it has written (PROTOCOL.md, Plan 2).
import type { Context } from './context.ts';

export class WriterTooSlow extends Error {
  override readonly name = 'WriterTooSlow';
}

/** Call the result before every write that makes earlier ones count. */
export function writerDeadline({ clock, settings }: Context): () => void {
  const end = clock.monotonic() + settings.writerDeadlineMs;
  return () => {
    if (clock.monotonic() > end) {
      throw new WriterTooSlow(
        `gave up after ${settings.writerDeadlineMs} ms; nothing was decided, try again`,
      );
    }
  };
}
