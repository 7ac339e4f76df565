// The writer's thread. No fsync delays a timer of the thread that serves requests and runs tasks. While one commit is in
// progress the next group collects. Each message between the threads carries many writes.
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createCheckpoints } from './checkpoints.ts';
import { createCommit, type Unit, WriteRefused } from './commit.ts';
import { openWriter } from './open.ts';
import type { FromWriter, ToWriter, WriterData, Writes } from './protocol.ts';
import { createRetention } from './retention.ts';
import { type Answer, RANKS, type Statement, type Write } from './statements.ts';
import { type Group, Turns } from './turns.ts';

/** Under constant load retention gets one step after this many commits. */
const COMMITS_PER_STEP = 32;

interface Queued extends Unit {
  readonly number: number;
  /** Number of characters of its values. */
  readonly size: number;
}

const { file } = workerData as WriterData;
const port = parentPort as MessagePort;
const db = openWriter(file);
const commit = createCommit(db, file);
const checkpoints = createCheckpoints(db);
const retention = createRetention(db);
const turns = new Turns<Queued>();
const statements: Statement[] = [];
let received = 0;
let closing = false;
let sinceStep = 0;
const counts = { commits: 0, writes: 0, largestGroup: 0, expired: 0 };

const answer = (message: FromWriter): void => port.postMessage(message);

function accept(message: ToWriter): void {
  if (message.kind === 'writes') queue(message);
  else if (message.kind === 'expire') retention.begin(message.now);
  else if (message.kind === 'truncate') checkpoints.run(true);
  else if (message.kind === 'stats') tellStats();
  else closing = true;
}

function queue({ statements: fresh, writes }: Writes): void {
  statements.push(...fresh);
  for (let at = 0; at < writes.length; ) {
    const [rank, owner, count] = writes.slice(at, at + 3) as [number, string, number];
    at += 3;
    const unit: Write[] = [];
    let size = 0;
    for (let i = 0; i < count; i++) {
      const [statement, length] = writes.slice(at, at + 2) as [number, number];
      const values = writes.slice(at + 2, at + 2 + length);
      at += 2 + length;
      for (const value of values) if (typeof value === 'string') size += value.length;
      unit.push({ statement: statements[statement] as Statement, values });
    }
    turns.add(RANKS[rank] ?? 'record', owner, { writes: unit, number: received++, size });
  }
}

function commitGroup({ items: group, synced }: Group<Queued>): void {
  const done = commit(group, { synced });
  if ('fault' in done) {
    const { kind, detail } = done.fault;
    answer({ kind: 'failed', numbers: group.map(({ number }) => number), fault: { kind, detail } });
    // a truncated -wal file frees its room
    if (kind === 'full') checkpoints.run(true);
    return;
  }
  const answers: (number | Answer)[] = [];
  for (const [i, { number }] of group.entries()) {
    const one = done.answers[i] ?? 0;
    if (one instanceof WriteRefused) answer({ kind: 'refused', number, message: one.message });
    else answers.push(number, one);
  }
  answer({ kind: 'done', answers });
  counts.commits++;
  counts.writes += group.length;
  counts.largestGroup = Math.max(counts.largestGroup, group.length);
}

/** False: retention has no more steps for now. */
function expire(): boolean {
  sinceStep = 0;
  try {
    const deleted = retention.step();
    if (deleted === undefined) return false;
    counts.expired += deleted;
    return true;
  } catch {
    // the file is full or locked: the next round tries again
    return false;
  }
}

/** Works until no write waits and retention is done. Messages that arrive meanwhile are read before each commit. */
function work(): void {
  for (;;) {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) accept(next.message);
    const group = turns.take();
    const { length } = group.items;
    if (length > 0) commitGroup(group);
    checkpoints.runIfDue(turns.waiting === 0);
    if (length > 0 && ++sinceStep < COMMITS_PER_STEP) continue;
    // expired rows are left to the next start when the process stops
    if ((closing || !expire()) && length === 0) break;
  }
  if (!closing) return;
  checkpoints.run(true);
  db.close();
  answer({ kind: 'closed' });
  port.close();
}

function tellStats(): void {
  const { user, system } = process.threadCpuUsage();
  const synchronous = Number(db.prepare('PRAGMA synchronous').get()?.synchronous);
  const ofThread = { checkpoints: checkpoints.done, cpu: user + system, waiting: turns.waiting, synchronous };
  answer({ kind: 'stats', stats: { ...counts, ...ofThread } });
}

port.on('message', (message: ToWriter) => {
  accept(message);
  work();
});
answer({ kind: 'ready' });
