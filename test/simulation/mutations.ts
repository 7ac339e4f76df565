// The rules of docs/protocol.md. Each can be taken out of the source, where a marker names it (mutate.ts), and a seed of the
// simulator must then find a broken promise. A child process of the tests loads the source without the rule; the product has no
// switch for it. There are at most 50.

import type { ThemeName } from './scenario.ts';

export interface Mutation {
  /** The name in the marker, unless `puts` names others. */
  readonly rule: string;
  readonly takesOut: string;
  /** What stands in the place of the rule. Undefined for nothing, and for `true` in an expression. Or one for each marker. */
  readonly puts?: string | Readonly<Record<string, string>>;
  /** Where it shows soonest. */
  readonly theme?: ThemeName;
  /** Only an embedded server has this rule. */
  readonly embedded?: true;
  /** The first seed to try, where few show it: one that did. After a change of the code it may be any other. */
  readonly from?: number;
}

export const MUTATIONS: readonly Mutation[] = [
  // writes
  { rule: 'head-version', takesOut: 'a change of a job is written as it was read', puts: 'false' },
  { rule: 'lock-version', takesOut: 'the lock: the job as it was read' },
  { rule: 'lock-number', takesOut: 'the lock: as it was read' },
  { rule: 'row-absent', takesOut: 'a row is inserted only if there is none', puts: 'false' },
  { rule: 'row-status', takesOut: 'a row is written on condition of its status' },
  { rule: 'row-number', takesOut: 'a row is written on condition of its number' },
  { rule: 'lost-until', theme: 'slowBeats', takesOut: 'a lost row is written on condition of its lease' },
  { rule: 'cancel-stays', takesOut: 'a request to cancel stays in an open row', puts: 'false' },
  { rule: 'beat-longer', takesOut: 'a heartbeat only lengthens', puts: 'false' },
  { rule: 'checkpoint-number', theme: 'slowBeats', takesOut: 'checkpoint', puts: 'false' },
  { rule: 'seat-as-read', takesOut: 'seat', puts: 'false', theme: 'keys' },
  { rule: 'shard-as-read', takesOut: 'shard', puts: 'false' },
  { rule: 'change-time', takesOut: 'change', puts: 'false', theme: 'planning' },
  { rule: 'name-as-read', takesOut: 'name', puts: 'false', theme: 'named' },
  { rule: 'operation-as-read', takesOut: 'operation', puts: 'false', theme: 'backfilling' },
  {
    rule: 'row-first',
    takesOut: 'the row before the lock',
    puts: "if (lock && !(await store.takeLock(lock))) return 'refused'; lock = undefined; $&",
  },
  {
    rule: 'seat-row-first',
    theme: 'keys',
    takesOut: 'the row before the seat',
    puts: {
      'row-first':
        "if (seat && !(await store.writeSeat(seat.seen, seat.seat))) return 'refused'; seat = undefined; $&",
    },
  },
  // claim
  { rule: 'decide-sure', takesOut: 'decisions from consistent reads', puts: 'false' },
  { rule: 'free-sure', takesOut: 'free, surely', puts: 'false' },
  { rule: 'free-number', takesOut: 'free: number' },
  { rule: 'allow-reads-head', takesOut: 'consistent head', theme: 'beside', puts: 'false' },
  { rule: 'number-floor', takesOut: 'numbers after a power failure', puts: '0', embedded: true, from: 1060 },
  { rule: 'window', takesOut: 'the window', puts: 'false', theme: 'slowStarts' },
  { rule: 'give-back', takesOut: 'a claim that does not start gives its row back' },
  { rule: 'number-of-lock', takesOut: 'number of the lock', puts: '0' },
  { rule: 'number-of-row', theme: 'beside', takesOut: 'number of the row', puts: '0' },
  { rule: 'wait-first', takesOut: 'wait item', theme: 'waiting' },
  { rule: 'terminal', takesOut: 'terminal', puts: 'false' },
  { rule: 'lease-live', takesOut: 'a live lease' },
  { rule: 'cancel-seen', takesOut: 'cancelled rows are not claimed', puts: 'false' },
  {
    rule: 'job-cancelled',
    theme: 'cancelAndRetry',
    takesOut: 'executions of a cancelled job',
    puts: 'false',
  },
  { rule: 'by-hand-row', takesOut: 'by hand without a row' },
  { rule: 'withdrawn', takesOut: 'withdrawn', puts: 'false' },
  { rule: 'backoff', takesOut: 'backoff', puts: 'false' },
  { rule: 'early', theme: 'planning', takesOut: 'fire time', puts: 'false' },
  { rule: 'missed', takesOut: 'missed', puts: 'false' },
  { rule: 'covers-runs', takesOut: 'a run that covers others is not skipped' },
  { rule: 'order', takesOut: 'order', puts: 'false', theme: 'waiting' },
  { rule: 'order-first-only', takesOut: 'RETRYING does not wait', theme: 'waiting' },
  { rule: 'missed-in-line', theme: 'outage', takesOut: 'missed in line' },
  { rule: 'boot', takesOut: 'boot', embedded: true },
  { rule: 'busy', takesOut: 'busy', puts: 'false' },
  { rule: 'lost-unlocked', takesOut: 'lost without the lock never started' },
  { rule: 'lost-attempts', takesOut: 'lost attempts count', puts: 'false' },
  { rule: 'lost-first', takesOut: 'lost first attempt with allow', puts: 'false', theme: 'beside' },
  { rule: 'seat-number', takesOut: 'seat: an older row', puts: '0', theme: 'keys' },
  { rule: 'seat-busy', takesOut: 'seat busy', theme: 'keys' },
  { rule: 'allow-waits', takesOut: 'changes wait, allow', theme: 'slowStarts' },
  { rule: 'change-waits', takesOut: 'changes wait', theme: 'slowStarts' },
  { rule: 'look-sure', takesOut: 'look consistently', theme: 'slowStarts', puts: 'false' },
  { rule: 'look-skew', takesOut: 'look skew', theme: 'slowStarts', puts: '0' },
  { rule: 'cancel-waits', takesOut: 'a cancel waits', theme: 'slowStarts' },
  { rule: 'order-sure', takesOut: 'order sure', theme: 'waiting', puts: 'false' },
  { rule: 'row-follows', takesOut: 'row follows', theme: 'waiting' },
  {
    rule: 'lease-from-send',
    theme: 'slowBeats',
    takesOut: 'lease from send',
    puts: 'clock.monotonic() + settings.leaseMs',
  },
  { rule: 'cover-past', takesOut: 'cover past', puts: '0' },
  { rule: 'cover-ahead', takesOut: 'cover ahead', puts: 'false', theme: 'clocks' },
  { rule: 'once-revision', takesOut: 'once', puts: 'false', theme: 'once' },
  { rule: 'settle-completes', theme: 'once', takesOut: 'settle completes' },
  { rule: 'sent-again', takesOut: 'sent again', theme: 'outage' },
  { rule: 'not-ours-to-delete', takesOut: 'not ours', theme: 'outage' },
  { rule: 'recover-checks', takesOut: 'recover checks', puts: 'false', theme: 'outage' },
  { rule: 'deadline', takesOut: 'deadline', puts: 'false', theme: 'slowWriters' },
  { rule: 'corrected-writer', takesOut: 'corrected writer', puts: 'false', theme: 'clocks' },
  { rule: 'shard-lease-ahead', takesOut: 'shard lease ahead', theme: 'clocks' },
  { rule: 'cursors-ahead', takesOut: 'cursors ahead', theme: 'clocks' },
  { rule: 'by-hand-entry', takesOut: 'entry of runs by hand', puts: 'undefined', theme: 'byHand' },
  {
    rule: 'entries-first',
    takesOut: 'entries before the head',
    puts: {
      'entries-first': 'undefined',
      'entries-first-after': 'if (!paused) await store.putEntries(entries); $&',
    },
  },
  {
    rule: 'record-first',
    takesOut: 'record before the head',
    puts: {
      'record-first': 'clock.now()',
      'record-first-after':
        'if ((await writeHead(context, head, written)) && (await recordChange(context, { ...record, ...sides }, updatedAt))) return { head: { ...head, ...written }, changed: true };',
    },
  },
  { rule: 'pointer-first', takesOut: 'pointer', theme: 'named' },
  { rule: 'name-previous', takesOut: 'previous', theme: 'named', puts: 'undefined' },
  { rule: 'name-leftover', takesOut: 'leftover', theme: 'named' },
  { rule: 'name-reserved', takesOut: 'reserved', theme: 'named', puts: 'newJobId(context.random)' },
  { rule: 'stop-waits', takesOut: 'stop waits', theme: 'backfilling' },
  {
    rule: 'acts-first',
    takesOut: 'acts first',
    theme: 'backfilling',
    puts: 'const before = operation; const { beyond } = await WORK.backfill.upcoming(context, before); operation = await replaceOperation(context, before, { ...before, next: beyond ?? before.params.to }); if (!operation) return false; const step = await carryOutStep(context, before, turn);',
  },
  { rule: 'bulk-in-time', takesOut: 'bulk in time', theme: 'bulk', puts: 'undefined' },
  { rule: 'bulk-selects-again', takesOut: 'bulk again', theme: 'bulk' },
  { rule: 'right-clock', takesOut: 'wrong clock waits', theme: 'clocks' },
  { rule: 'reference-clock', takesOut: 'reference', theme: 'clocks', puts: 'shown' },
  { rule: 'jumps-seen', takesOut: 'jumps', theme: 'clocks', puts: 'false' },
  {
    rule: 'beat-as-read',
    takesOut: 'a heartbeat: RUNNING and number',
    puts: 'row === undefined',
    theme: 'slowBeats',
  },
  {
    rule: 'cancel-as-read',
    takesOut: 'a request to cancel: RUNNING and number',
    puts: 'row === undefined',
    theme: 'slowStarts',
  },
  {
    rule: 'clock-first',
    takesOut: 'the clock is read first',
    puts: { 'clock-first': 'now: clock.now()', 'window-from-read': 'readAt: clock.monotonic()' },
  },
  {
    rule: 'window-from-read',
    theme: 'slowStarts',
    takesOut: 'the window counts from the first read',
    puts: { window: 'clock.monotonic() - (isLate.from ??= clock.monotonic()) >= settings.startWindowMs' },
  },
  {
    rule: 'lease-skew',
    theme: 'slowBeats',
    takesOut: 'skew',
    puts: { 'lease-skew': '0', 'gives-up-early': '0' },
  },
  { rule: 'lease-skew-1', theme: 'slowBeats', takesOut: 'skew', puts: { 'lease-skew': '0' } },
  { rule: 'gives-up-early', theme: 'slowBeats', takesOut: 'skew', puts: '0' },
  {
    rule: 'lost-until-2',
    theme: 'slowBeats',
    takesOut: '',
    puts: { 'lost-until': 'true', 'gives-up-early': '0' },
  },
  { rule: 'boot-over', takesOut: 'boot', embedded: true, puts: { boot: 'false' } },
  { rule: 'seat-lease-sure', takesOut: 'seat lease', theme: 'keys' },
];
