// The rules of docs/protocol.md that the simulator guards. Each can be taken out of the source, where markers name it
// (mutate.ts), and a seed of the simulator must then find a broken promise. A child process of the tests loads the source
// without the rule; the product has no switch for it. There are at most 50, so a rule that stands in two places is one.

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

/** The conditions of writes. They stand in the store in memory; the conformance suite holds the other stores to it. */
const WRITES: readonly Mutation[] = [
  {
    rule: 'head-version',
    takesOut: 'a change of a job is written to the version that was read',
    puts: 'false',
  },
  { rule: 'lock-version', takesOut: 'the lock is taken in the job as it was read' },
  { rule: 'lock-number', takesOut: 'the lock is taken as it was read' },
  { rule: 'row-absent', takesOut: 'a row is inserted only if there is none', puts: 'false' },
  { rule: 'row-status', takesOut: 'a row is written on condition of the status that was read' },
  { rule: 'row-number', takesOut: 'a row is written on condition of the number that was read' },
  {
    rule: 'beat-as-read',
    takesOut: 'a heartbeat needs a RUNNING row with the number of its claim',
    puts: 'row === undefined',
    theme: 'slowBeats',
  },
  { rule: 'beat-longer', takesOut: 'a heartbeat only lengthens the lease', puts: 'false' },
  {
    rule: 'cancel-as-read',
    takesOut: 'a request to cancel needs a RUNNING row with the number that was read',
    puts: 'row === undefined',
    theme: 'slowStarts',
  },
  {
    rule: 'checkpoint-number',
    takesOut: 'an earlier claim does not replace the checkpoint of a later one',
    puts: 'false',
    theme: 'slowBeats',
  },
  { rule: 'seat-as-read', takesOut: 'a seat is taken as it was read', puts: 'false', theme: 'keys' },
  {
    rule: 'name-as-read',
    takesOut: 'the pointer of a name is written as it was read',
    puts: 'false',
    theme: 'named',
  },
  {
    rule: 'operation-as-read',
    takesOut: 'a background operation is written as it was read',
    puts: 'false',
    theme: 'backfilling',
  },
];

/** The lines of the decision table (src/scheduling/claiming/decide-claim.ts). */
const DECISIONS: readonly Mutation[] = [
  { rule: 'terminal', takesOut: 'what has ended is not claimed', puts: 'false' },
  { rule: 'lease-live', takesOut: 'a RUNNING row with a live lease is left alone' },
  {
    rule: 'lease-skew',
    takesOut: 'a lease is over when it is over by every clock, and its worker gives up that much earlier',
    puts: { 'lease-skew': '0', 'gives-up-early': '0' },
    theme: 'slowBeats',
    from: 1180,
  },
  {
    rule: 'boot',
    takesOut: 'a row of this start of an embedded server is not lost before its lease is over',
    embedded: true,
  },
  {
    rule: 'lost-unlocked',
    takesOut: 'a lost claim without the lock never started, so its attempt does not count',
  },
  {
    rule: 'lost-first',
    takesOut: 'overlap: allow. A lost first attempt is QUEUED, so that a pause withdraws it',
    puts: 'false',
    theme: 'beside',
    from: 138,
  },
  {
    rule: 'cancel-seen',
    takesOut: 'a request to cancel stays in the row until the next claim sees it',
    puts: { 'cancel-seen': 'false', 'cancel-stays': 'false' },
  },
  {
    rule: 'job-cancelled',
    takesOut: 'nothing of a cancelled job is claimed',
    puts: 'false',
    theme: 'cancelAndRetry',
  },
  { rule: 'withdrawn', takesOut: 'what a pause or an edit has withdrawn is not claimed', puts: 'false' },
  { rule: 'backoff', takesOut: 'a retry is not claimed before its time', puts: 'false' },
  {
    rule: 'early',
    takesOut: 'an execution is not claimed before its fire time',
    puts: 'false',
    theme: 'planning',
  },
  { rule: 'missed', takesOut: 'what misfire skips is not claimed', puts: 'false' },
  { rule: 'busy', takesOut: 'the lock of an execution that runs or retries is not free', puts: 'false' },
  {
    rule: 'order',
    takesOut: 'overlap: queue. An execution stands in line, behind the older ones',
    puts: { order: 'false', 'wait-first': ';' },
    theme: 'waiting',
  },
  {
    rule: 'order-first-only',
    takesOut: 'a retry does not wait for older executions in line',
    theme: 'waiting',
  },
  {
    rule: 'missed-in-line',
    takesOut: 'a missed occurrence stands in line before it starts',
    theme: 'outage',
  },
  { rule: 'free-number', takesOut: 'a row that is older than its lock does not show that the lock is free' },
];

/** The steps of a claim, the lease, and what others wait for. */
const CLAIMS: readonly Mutation[] = [
  {
    rule: 'clock-first',
    takesOut: 'the clocks are read before the rows',
    puts: { 'clock-first': 'now: clock.now()', 'window-from-read': 'readAt: clock.monotonic()' },
    theme: 'slowStarts',
  },
  { rule: 'decide-sure', takesOut: 'every decision but a claim rests on consistent reads', puts: 'false' },
  {
    rule: 'allow-reads-head',
    takesOut: 'the head is read consistently, because with overlap: allow no write checks it',
    puts: 'false',
    theme: 'beside',
  },
  {
    rule: 'row-first',
    takesOut: 'the row is opened before the lock is taken',
    puts: "if (lock && !(await store.takeLock(lock))) return 'refused'; lock = undefined; $&",
  },
  {
    rule: 'number',
    takesOut: 'a number is larger than that of the lock and that of the row',
    puts: { 'number-of-lock': '0', 'number-of-row': '0' },
  },
  { rule: 'number-floor', takesOut: 'numbers after a power failure', puts: '0', embedded: true, from: 2080 },
  {
    rule: 'window',
    takesOut: 'a claim that took too long does not start',
    puts: 'false',
    theme: 'slowStarts',
  },
  { rule: 'give-back', takesOut: 'a claim that does not start gives its row back' },
  { rule: 'seat-busy', takesOut: 'the seat of an execution that runs is not free', theme: 'keys' },
  {
    rule: 'seat-sure',
    takesOut: 'an old read of a row does not show that its seat is free',
    puts: { 'seat-number': '0', 'seat-lease-sure': 'true' },
    theme: 'keys',
  },
  {
    rule: 'order-sure',
    takesOut: 'the older rows in line are read consistently',
    puts: 'false',
    theme: 'waiting',
  },
  {
    rule: 'lease-from-send',
    takesOut: 'a heartbeat extends the lease from its sending, not from its answer',
    puts: 'clock.monotonic() + settings.leaseMs',
    theme: 'slowBeats',
  },
  {
    rule: 'change-waits',
    takesOut: 'a change waits for a claim that may be about to start',
    theme: 'slowStarts',
  },
  {
    rule: 'look-sure',
    takesOut: 'a change looks for that claim consistently',
    puts: 'false',
    theme: 'slowStarts',
  },
  { rule: 'allow-waits', takesOut: 'overlap: allow. A change waits for every claim', theme: 'slowStarts' },
  { rule: 'cancel-waits', takesOut: 'a cancel waits for the claim of its execution', theme: 'slowStarts' },
];

const PLANNING: readonly Mutation[] = [
  {
    rule: 'entries-first',
    takesOut: 'an entry is written before the head or the row that needs it',
    puts: {
      'entries-first': 'undefined',
      'entries-first-after': 'if (!paused) await store.putEntries(entries); $&',
      'by-hand-entry': 'undefined',
    },
    theme: 'byHand',
  },
  {
    rule: 'deadline',
    takesOut: 'a writer gives up before settle can pass its entries',
    puts: 'false',
    theme: 'slowWriters',
  },
  {
    rule: 'once-revision',
    takesOut: 'a one-time job is completed only while its head has the revision of the execution',
    puts: 'false',
    theme: 'once',
  },
  { rule: 'right-clock', takesOut: 'a worker whose clock is wrong starts nothing', theme: 'clocks' },
];

export const MUTATIONS: readonly Mutation[] = [...WRITES, ...DECISIONS, ...CLAIMS, ...PLANNING];
