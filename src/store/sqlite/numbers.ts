// The reserve of numbers for claims. Each start begins above all numbers that an earlier start has reserved, whatever the clock
// shows and whichever claims a power failure took back.
import type { NumberReserve } from '../store.ts';
import { changing, type Reader, type Writer } from './statements.ts';

/** Numbers are about milliseconds since the epoch, so this is an hour of claims. */
const RESERVED = 3_600_000;

const HIGHEST = 'SELECT reservedUntil FROM numbers';
const RESERVE = changing('UPDATE numbers SET reservedUntil = max(reservedUntil, ?)');

export function createNumberReserve(reader: Reader, writer: Writer): NumberReserve {
  const floor = Number(reader.one(HIGHEST)?.[0] ?? 0) + 1;
  let until = 0;
  let reserving: Promise<void> | undefined;

  async function reserveUntil(number: number): Promise<void> {
    // the rank `start` waits for the disk
    await writer.write(RESERVE, [number], 'start', '');
    until = Math.max(until, number);
  }

  return {
    floor,
    reserve(number) {
      if (number <= until) return undefined;
      const own = (reserving ?? Promise.resolve()).then(() =>
        number <= until ? undefined : reserveUntil(number + RESERVED),
      );
      reserving = own.catch(() => undefined);
      return own;
    },
  };
}
