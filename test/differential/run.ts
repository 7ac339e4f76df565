// `npm run test:differential -- --base <commit>`: sends the same seeded sequences of requests to the servers of two commits in
// virtual time, and compares their answers, executions, changes, calls and notifications.
//
//   --base <commit>   the one side (needed)
//   --head <folder>   the other side: a checkout; default: this one
//   --seeds <n>       how many sequences; default 500
//   --from <n>        the first seed; default 1
//   --seed <n>        one sequence; with --trace its requests and answers are printed
//
// Sequences of one start run beside each other, as different users of one server. A sequence that differs is run again alone,
// three times, and only what differs each time is reported. Exit codes: 0 no unknown difference, 1 differences, 2 a route was not reached.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allSlots, type Checkout, checkOut, play, prepare, ROOT } from './checkout.ts';
import { compare, type Difference, routeOf } from './compare.ts';
import { Coverage } from './coverage.ts';
import { KNOWN } from './known.ts';
import { type Sequence, SLOTS, sequenceOf, slotOf, startOf } from './sequences.ts';
import type { Outcome } from './side.ts';

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    head: { type: 'string', default: ROOT },
    seeds: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(
    `usage: npm run test:differential -- --base <commit> [--head <folder>] [--seeds <n>] [--from <n>] [--seed <n> [--trace]]

Sends the same seeded sequences of requests to the servers of two commits in virtual time, and compares what they do.`,
  );
  process.exit(0);
}
if (values.base === undefined) throw new Error('--base must name a commit');
const first = Number(values.seed ?? values.from);
const amount = values.seed === undefined ? Number(values.seeds) : 1;
const REPORTED = 20;
/** Which of two executions gets the free place of a concurrency key first may depend on random ids. */
const CONFIRMATIONS = 3;

const folder = mkdtempSync(join(tmpdir(), 'punctual-differential-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const needed =
  amount >= SLOTS * 5 ? allSlots : [...new Set(Array.from({ length: amount }, (_, i) => slotOf(first + i)))];
const [base, head] = (await Promise.all([
  prepare(values.base, checkOut(values.base, join(folder, 'base')), needed),
  prepare('HEAD', values.head, needed),
])) as [Checkout, Checkout];
process.once('exit', () => {
  for (const { template } of [base, head]) rmSync(template, { recursive: true, force: true });
});

const both = (sequences: readonly Sequence[]): Promise<[Outcome, Outcome]> =>
  Promise.all([play(base, sequences), play(head, sequences)]);

const coverage = new Coverage();
const occurred = new Map<string, number>();
const unknown = new Map<number, Difference[]>();
let flakes = 0;
let cut = 0;

/** What is left of the differences of one sequence after the known ones. */
function unexplained(differences: readonly Difference[]): Difference[] {
  const left: Difference[] = [];
  for (const difference of differences) {
    const known = KNOWN.find(({ matches }) => matches(difference));
    if (!known) left.push(difference);
    else {
      occurred.set(known.name, (occurred.get(known.name) ?? 0) + 1);
      if (!known.ends) continue;
      cut++;
      break;
    }
  }
  return left;
}

const began = performance.now();
let done = 0;
for (const sequences of chunks()) {
  const [one, other] = await both(sequences);
  for (const [index, sequence] of sequences.entries()) {
    coverage.add(sequence, index, other);
    if (values.trace) trace(one, other, index);
    const differences = unexplained(compare(sequence, index, one, other));
    if (differences.length === 0) continue;
    let confirmed = differences;
    for (let time = 0; time < CONFIRMATIONS && confirmed.length > 0; time++) {
      const [again, otherAgain] = await both([sequence]);
      confirmed = unexplained(compare(sequence, 0, again, otherAgain));
    }
    if (confirmed.length > 0) report(sequence.seed, confirmed);
    else {
      flakes++;
      report(sequence.seed, differences, 'not seen again alone: ');
    }
  }
  done += sequences.length;
  console.log(
    `${done} sequences, ${unknown.size} differ, ${flakes} only beside others, ${Math.round((performance.now() - began) / 1_000)} s`,
  );
}

console.log(coverage.text());
for (const { name, reason } of KNOWN) {
  const times = occurred.get(name) ?? 0;
  console.log(
    `known: ${name}, ${times === 0 ? 'NOT SEEN: remove it if its change is older than the base' : `${times} times`}. ${reason}`,
  );
}
if (cut > 0) console.log(`${cut} sequences were not compared after a known difference`);
console.log(
  `${done} sequences, ${unknown.size} differ${unknown.size > 0 ? `: ${[...unknown.keys()].slice(0, 50).join(' ')}` : ''}`,
);
const missing = coverage.missing();
if (missing.length > 0) console.log(`not reached:\n  ${missing.join('\n  ')}`);
// few sequences cannot reach every route
process.exit(unknown.size > 0 ? 1 : missing.length > 0 && amount >= 500 ? 2 : 0);

/** Seeds of one start, at most one per slot. */
function* chunks(): Generator<Sequence[]> {
  const groups = new Map<string, Sequence[]>();
  for (let seed = first; seed < first + amount; seed++) {
    const key = `${startOf(seed)} ${Math.floor(seed / (5 * SLOTS))}`;
    groups.set(key, [...(groups.get(key) ?? []), sequenceOf(seed)]);
  }
  yield* groups.values();
}

function report(seed: number, differences: readonly Difference[], note = ''): void {
  if (note === '') unknown.set(seed, [...differences]);
  if (unknown.size > REPORTED) return;
  const show = (value: unknown) => JSON.stringify(value)?.slice(0, 300);
  for (const { route, number, field, base, head, request, sent } of differences.slice(0, 3))
    console.log(
      `${note}seed ${seed}, request ${number}, ${route}: ${field}\n    ${request ?? ''} ${show(sent) ?? ''}\n    base ${show(base)}\n    head ${show(head)}`,
    );
  if (differences.length > 3) console.log(`    and ${differences.length - 3} more`);
}

function trace(one: Outcome, other: Outcome, index: number): void {
  for (const [number, answer] of (one.answers[index] ?? []).entries()) {
    const theirs = other.answers[index]?.[number];
    console.log(
      `${number} ${answer.at} ${answer.as ?? ''} ${routeOf(answer.method, answer.path)} ${answer.path} ${JSON.stringify(answer.sent) ?? ''}`,
    );
    console.log(`    base ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 2_000)}`);
    console.log(`    head ${theirs?.status} ${JSON.stringify(theirs?.body)?.slice(0, 2_000)}`);
  }
}
