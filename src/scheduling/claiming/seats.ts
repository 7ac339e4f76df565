// Seats of concurrency keys. A seat is the same thing as a lock: it names a row, and is free if that row is not RUNNING with its
// number, or if its lease is over. Nobody gives a seat back (docs/protocol.md#seats).
import { ownerHash } from '../../domain/digest.ts';
import { executionId } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { KeyLimit, Seat } from '../../domain/jobs/concurrency-key.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { isLeaseOver } from './decide-claim.ts';

type KeyedHead = Pick<Head, 'userId' | 'limit'>;

/** A seat that no running execution has. `seen` is its content, and undefined if it was never taken. */
export interface FreeSeat {
  readonly n: number;
  readonly seen: Seat | undefined;
}

export const keyLimitOf = ({ userId, limit }: KeyedHead): KeyLimit | undefined =>
  limit && { owner: ownerHash(userId), ...limit };

/** A free seat, picked at random, so that claims at the same time seldom want the same. Undefined if all are taken. */
export async function findSeat(
  { store, random, clock, settings, boot }: Context,
  { concurrent, ...name }: KeyLimit,
  { consistent }: { readonly consistent: boolean },
): Promise<FreeSeat | undefined> {
  // before the reads: a lease that is over by then is over in a row that is read later
  const at = { now: clock.now(), clockSkewMs: settings.clockSkewMs, boot };
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random.float() * items.length)];
  const taken = (await store.readSeats(name, { consistent })).filter(({ n }) => n < concurrent);
  const numbers = new Set(taken.map(({ n }) => n));
  const n = pick(Array.from({ length: concurrent }, (_, i) => i).filter((i) => !numbers.has(i)));
  if (n !== undefined) return { n, seen: undefined };

  // a row that is older than its seat may have been RUNNING since, and one whose lease is over may have a longer one by now
  const stale = await rowsOf(store, taken, false);
  const known = (seat: Seat): boolean => {
    const row = stale.get(idOf(seat));
    if (!row || row.number < /* [rule seat-number] */ seat.number) return false;
    return row.status !== 'RUNNING' || /* [rule seat-lease-sure] */ !isLeaseOver(at, row);
  };
  const sure = await rowsOf(
    store,
    taken.filter((seat) => !known(seat)),
    true,
  );
  const free = taken.filter((seat) => {
    const row = known(seat) ? stale.get(idOf(seat)) : sure.get(idOf(seat));
    return (
      /* [rule seat-busy] */ row?.status !== 'RUNNING' || row.number !== seat.number || isLeaseOver(at, row)
    );
  });
  const seen = pick(free);
  return seen && { n: seen.n, seen };
}

const idOf = ({ jobId, due }: Seat): string => executionId(jobId, due);

async function rowsOf(
  store: Context['store'],
  seats: readonly Seat[],
  consistent: boolean,
): Promise<Map<string, Row>> {
  if (seats.length === 0) return new Map();
  const rows = await store.readRows(
    seats.map(({ jobId, due }) => ({ jobId, due })),
    { consistent },
  );
  return new Map(rows.map((row) => [executionId(row.jobId, row.due), row]));
}

/** A message that has waited for w asks again after w / 4, within these bounds and with jitter. */
const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;

/** The message comes back, with jitter. */
export function waitForSeat(context: Context, head: KeyedHead, message: Message) {
  const { clock, random, log } = context;
  const limit = keyLimitOf(head);
  const now = clock.now();
  const waitMs = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, (now - message.fireAt) / 4));
  log.debug('waits for a seat of its concurrency key', {
    executionId: executionId(message.jobId, message.due),
    key: limit?.key,
  });
  const at = now + Math.round(waitMs * (0.75 + 0.5 * random.float()));
  return { kind: 'later' as const, at, ...(limit && { waitsFor: limit }) };
}
