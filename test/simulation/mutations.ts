// The rules of docs/protocol.md, each with what its absence would look like in the source. A child process of the tests loads
// the use cases with one of these applied; the product has no switch for it. `find` must occur exactly once.

import type { ThemeName } from './scenario.ts';

export interface Edit {
  /** In src/scheduling, or in the folder of src that it names. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Mutation {
  /** The tag in docs/protocol.md, or the name in the model's `without` list, or one of our own. */
  readonly rule: string;
  readonly takesOut: string;
  /** Where it shows soonest. */
  readonly theme?: ThemeName;
  /** Only an embedded server has this rule. */
  readonly embedded?: true;
  /** The first seed to try, where few show it: shortly before one that did. After a change of the code it may be any other. */
  readonly from?: number;
  readonly edits: readonly Edit[];
}

/** The write of the pointer in `create`. */
const WRITE_POINTER = `  if (reserved === undefined) {
    const next = { userId, ...name, jobId, previous: replaced, stamp: context.random.id(12) };
    if (!(await writePointer(context, pointer, next))) return CONFLICT;
  }
`;

const NOTE_WRITE = 'if (!(await writeHead(context, head, change))) return undefined;';

export const MUTATIONS: readonly Mutation[] = [
  {
    rule: 'H1',
    takesOut: 'a skip is decided in the head: the row SKIPPED is inserted as it is',
    edits: [
      {
        file: 'scheduling/records/record-decision.ts',
        find: NOTE_WRITE,
        replace: `if (decision.status !== 'SKIPPED' && !(await writeHead(context, head, change))) return undefined;`,
      },
    ],
  },
  {
    rule: 'H1d',
    takesOut: 'waiting is decided in the head: the row WAITING is inserted as it is',
    edits: [
      {
        file: 'scheduling/records/record-decision.ts',
        find: NOTE_WRITE,
        replace: `if (decision.status !== 'WAITING' && !(await writeHead(context, head, change))) return undefined;`,
      },
    ],
  },
  {
    rule: 'H1e',
    takesOut:
      'a cancel before the start, and a backfill, are decided in the head: their rows are inserted as they are',
    edits: [
      {
        file: 'scheduling/records/record-decision.ts',
        find: NOTE_WRITE,
        replace: `if ((decision.status === 'SKIPPED' || decision.status === 'WAITING') && !(await writeHead(context, head, change))) return undefined;`,
      },
    ],
  },
  {
    rule: 'H2',
    theme: 'cancelAndRetry',
    takesOut: 'a hold whose row /retry has reopened does not block',
    edits: [
      {
        file: 'scheduling/claiming/holds.ts',
        find: 'const isAboutToFence = !wasOver && row.fence !== hold.token;',
        replace: 'const isAboutToFence = true;',
      },
    ],
  },
  {
    rule: 'H3',
    theme: 'byHand',
    takesOut: 'run-now writes its entry before its row',
    edits: [
      {
        file: 'jobs/manual-runs.ts',
        find: `  await putEntry(context, jobId, due, now);
  inTime();
  const row: Row = { ...newRow(head, due, MANUAL, 'QUEUED'), enqueuedAt: now, ...(params && { params }) };
  await insertRow(context, row);
`,
        replace: `  inTime();
  const row: Row = { ...newRow(head, due, MANUAL, 'QUEUED'), enqueuedAt: now, ...(params && { params }) };
  await insertRow(context, row);
  await putEntry(context, jobId, due, now);
`,
      },
    ],
  },
  {
    rule: 'H3b',
    from: 460,
    theme: 'cancelAndRetry',
    takesOut: '/retry writes its entry before its row',
    edits: [
      {
        file: 'jobs/manual-runs.ts',
        find: `  await putEntry(context, jobId, due, now);
  const seen =`,
        replace: '  const seen =',
      },
      {
        file: 'jobs/manual-runs.ts',
        find: 'was changed by another request; read it again`);',
        replace:
          'was changed by another request; read it again`);\n  await putEntry(context, jobId, due, now);',
      },
    ],
  },
  {
    rule: 'H4',
    takesOut: 'WAITING is a first claim: revision and pause count',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: `const first = !row || row.status === 'WAITING';`,
        replace: 'const first = !row;',
      },
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: `head.status === 'cancelled' || (row?.status === 'WAITING' && !current)`,
        replace: `head.status === 'cancelled'`,
      },
    ],
  },
  {
    rule: 'H5',
    theme: 'once',
    takesOut: 'a one-time job is completed only while the head has the revision of the execution',
    edits: [
      {
        file: 'scheduling/running/after-execution.ts',
        find: `if (head.status !== 'active' || head.revision !== revision) return;`,
        replace: `if (head.status !== 'active') return;`,
      },
    ],
  },
  {
    rule: 'H5b',
    takesOut: 'a one-time job is completed only by its own occurrence, not by a run-now',
    edits: [
      {
        file: 'scheduling/running/after-execution.ts',
        find: `  if (row.once && message.revision === row.revision)
    await completeOneTimeJob(context, head, row.revision, row.status);`,
        replace: `  if ('at' in head.schedule) await completeOneTimeJob(context, head, head.revision, row.status);`,
      },
    ],
  },
  {
    rule: 'H6',
    takesOut: 'settle completes a one-time job whose worker died before it did',
    edits: [
      {
        file: 'scheduling/planning/settle-slot.ts',
        find: 'await completeOneTimeJob(context, head, e.revision, row.status);',
        replace: 'void completeOneTimeJob;',
      },
    ],
  },
  {
    rule: 'H7',
    takesOut: 'a note whose row exists is history: a cancel stays in force after /retry',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'if (!row && head.note?.due === due) {',
        replace: `if (row && head.note?.due === due && head.note.status === 'CANCELLED') return DROP;
    if (!row && head.note?.due === due) {`,
      },
    ],
  },
  {
    rule: 'H8',
    theme: 'cancelAndRetry',
    takesOut:
      'a finish is conditional on RUNNING, so that its repetition after a lost response ends nothing else',
    edits: [
      {
        file: 'scheduling/running/finish-attempt.ts',
        find: 'return await writeFenced(context, opened, row);',
        replace: `if (!opened) return await writeFenced(context, opened, row);
      const now = await context.store.readRow(row.jobId, row.due, { consistent: true });
      return now?.fence === row.fence && (await context.store.updateRow(now, row));`,
      },
    ],
  },
  {
    rule: 'H9',
    takesOut: 'a duplicate message does not cut the backoff',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: `if (row?.status === 'RETRYING' && clock.now() < (row.nextAttemptAt ?? 0)) {`,
        replace: 'if (clock.now() < 0) {',
      },
      {
        file: 'scheduling/claiming/claim-concurrent.ts',
        find: `  if (isTerminal(row?.status)) return DROP;
  if (row?.status === 'RETRYING' && clock.now() < (row.nextAttemptAt ?? 0))
    return { kind: 'later', at: row.nextAttemptAt ?? 0 };
  if (!hasLetGo`,
        replace: `  if (isTerminal(row?.status)) return DROP;
  if (!hasLetGo`,
      },
    ],
  },
  {
    rule: 'row-at-takeover',
    from: 640,
    takesOut: 'a takeover opens the row, which refuses the finish of the old holder',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: '    takeOverRow(context, inSlot, { old, row }, attempts, endedBy),\n',
        replace: `    row
      ? takeOverRow(context, inSlot, { old, row }, attempts, endedBy)
      : confirmStart(context, inSlot, undefined),\n`,
      },
    ],
  },
  {
    rule: 'about-to-fence',
    theme: 'waiting',
    takesOut: 'the claim of a QUEUED or WAITING execution blocks other executions until its row is fenced',
    edits: [
      {
        file: 'scheduling/claiming/holds.ts',
        find: 'const isAboutToFence = !wasOver && row.fence !== hold.token;',
        replace: 'const isAboutToFence = false;',
      },
    ],
  },
  {
    rule: 'takeover-cas',
    takesOut: 'a takeover is conditional on the head it was decided on: a heartbeat in between refuses it',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'if (!(await writeHead(context, head, { hold, stamp: hold.token }))) return RETRY;',
        replace: `const fresh = await context.store.readHead(head.jobId, { consistent: true });
  if (!fresh || !(await writeHead(context, fresh, { hold: { ...hold, number: (fresh.hold?.number ?? 0) + 1 }, stamp: hold.token }))) return RETRY;
  hold.number = (fresh.hold?.number ?? 0) + 1;`,
      },
    ],
  },
  {
    rule: 'help',
    from: 1600,
    theme: 'crowded',
    takesOut: 'the decision that a note overwrites gets its row first',
    edits: [
      {
        file: 'scheduling/records/record-decision.ts',
        find: `  if (head.note && head.note.due !== decision.due && !isRecorded)
    await recordDecisionRow(context, head, head.note);
`,
        replace: '',
      },
    ],
  },
  {
    rule: 'deadline',
    theme: 'slowWriters',
    takesOut: 'a writer gives up before settle could pass its entries',
    edits: [
      {
        file: 'scheduling/records/writer-deadline.ts',
        find: 'if (passed > settings.writerDeadlineMs) {',
        replace: 'if (passed < 0) {',
      },
    ],
  },
  {
    rule: 'lease-check',
    takesOut: 'a taker whose lease has ended meanwhile does not start',
    edits: [
      {
        file: 'scheduling/claiming/confirm-start.ts',
        find: 'clock.monotonic() < sentAt + settings.leaseMs - settings.clockSkewMs;',
        replace: 'clock.monotonic() + sentAt + settings.leaseMs > 0;',
      },
    ],
  },
  {
    rule: 'clock-skew',
    theme: 'crowded',
    takesOut: 'a lease counts as over only when it is over by every clock, and is given up that much earlier',
    edits: [
      {
        file: 'scheduling/claiming/holds.ts',
        find: 'at > hold.leaseUntil + settings.clockSkewMs;',
        replace: 'at > hold.leaseUntil;',
      },
      {
        file: 'scheduling/running/renew-lease.ts',
        find: 'const giveUpAt = leaseEnd - settings.clockSkewMs;',
        replace: 'const giveUpAt = leaseEnd;',
      },
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'hold.leaseUntil + settings.clockSkewMs + 1',
        replace: 'hold.leaseUntil + 1',
      },
    ],
  },
  {
    rule: 'entries-before-head',
    takesOut: 'a writer plans before the head counts: a crash in between leaves a job without occurrences',
    edits: [
      {
        file: 'jobs/create-job.ts',
        find: '    store.putEntries(paused ? [] : entries),\n',
        replace: '',
      },
      {
        file: 'jobs/create-job.ts',
        find: '  if (!paused) await send();\n',
        replace: '  if (!paused) await store.putEntries(entries);\n  if (!paused) await send();\n',
      },
    ],
  },
  {
    rule: 'consistent-drop',
    takesOut: 'a read that leads to the drop of a message is repeated consistently',
    edits: [
      {
        file: 'scheduling/claiming/claim-result.ts',
        find: `const RETRY_CONSISTENT: Claim = { kind: 'retryConsistent' };`,
        replace: `const RETRY_CONSISTENT: Claim = { kind: 'drop' };`,
      },
    ],
  },
  {
    rule: 'hold-before-head',
    from: 290,
    theme: 'beside',
    takesOut: 'overlap: allow. The hold is inserted before the head is asked',
    edits: [
      {
        file: 'scheduling/claiming/claim-concurrent.ts',
        find: `  if (!(await insertHold(context, jobId, hold))) return RETRY;
  const [head, row] = await Promise.all([
    store.readHead(jobId, { consistent: true }),
    store.readRow(jobId, due, { consistent: true }),
  ]);`,
        replace: `  const head = await store.readHead(jobId, { consistent: true });
  if (!(await insertHold(context, jobId, hold))) return RETRY;
  const row = await store.readRow(jobId, due, { consistent: true });`,
      },
    ],
  },
  {
    rule: 'attempts count starts',
    takesOut: 'a takeover is no attempt before its row is there',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: '...newHold(context, message, workerId, old, attempts),',
        replace: '...newHold(context, message, workerId, old, attempts + 1),',
      },
    ],
  },
  {
    rule: 'attempts count starts beside',
    theme: 'beside',
    takesOut: 'overlap: allow. A takeover is no attempt before its row is there',
    edits: [
      {
        file: 'scheduling/claiming/claim-concurrent.ts',
        find: 'newHold(context, message, workerId, hold, attempts)',
        replace: 'newHold(context, message, workerId, hold, attempts + 1)',
      },
    ],
  },
  {
    rule: 'fenced too late',
    takesOut: 'an attempt whose row was fenced after another had taken over did not begin',
    edits: [
      {
        file: 'scheduling/claiming/fencing.ts',
        find: 'return hasOtherFence ? Math.min(row.attempt, hold.attempt) : row.attempt;',
        replace: 'return row.attempt;',
      },
    ],
  },
  {
    rule: 'covered',
    takesOut: 'misfire: runOnce. What one run stands for does not run',
    edits: [
      {
        file: 'scheduling/claiming/misfire.ts',
        find: 'head.coveredUntil !== undefined && fireTimeOf(',
        replace: 'head.coveredUntil === head.jobId && fireTimeOf(',
      },
    ],
  },
  {
    rule: 'changes return late',
    theme: 'slowStarts',
    takesOut:
      'a change returns after every run that was claimed before it has started, or reads again before it starts',
    edits: [
      {
        file: 'scheduling/claiming/change-returns.ts',
        find: 'if (isOver(context, hold) || hasBeaten(context, hold)) return;',
        replace: 'if (context.clock.now() > 0) return;',
      },
    ],
  },
  {
    rule: 'changes beside return late',
    theme: 'slowStarts',
    takesOut:
      'overlap: allow. A change of the job returns after every run that was claimed before it has started',
    edits: [
      {
        file: 'scheduling/claiming/change-returns.ts',
        find: `if (head.overlap === 'allow') await context.clock.sleep(CHANGE_RETURNS_AFTER_MS);`,
        replace: `if (head.overlap === 'allow') return;`,
      },
    ],
  },
  {
    rule: 'cancels beside return late',
    theme: 'slowStarts',
    takesOut:
      'overlap: allow. A cancel of an execution returns when it has started, or looks again before it does',
    edits: [
      {
        file: 'jobs/cancel-execution.ts',
        find: 'await awaitHoldStart(context, head.jobId, concurrent);',
        replace: '',
      },
    ],
  },
  {
    rule: 'unstarted until it beats',
    theme: 'slowStarts',
    takesOut: 'a claim counts as unstarted until its first heartbeat, however long ago its take was',
    edits: [
      {
        file: 'scheduling/claiming/change-returns.ts',
        find: 'if (isOver(context, hold) || hasBeaten(context, hold)) return;',
        replace: `const startsBy = hold.startedAt + context.settings.clockSkewMs + CHANGE_RETURNS_AFTER_MS;
  if (context.clock.now() >= startsBy) return;`,
      },
    ],
  },
  {
    rule: 'starts are recent',
    theme: 'slowStarts',
    takesOut: 'a claim that takes longer than a change takes to return looks again before it starts',
    edits: [
      {
        file: 'scheduling/claiming/confirm-start.ts',
        find: 'clock.monotonic() - lastReadAt < CHANGE_RETURNS_AFTER_MS',
        replace: 'lastReadAt > Number.NEGATIVE_INFINITY',
      },
    ],
  },
  {
    rule: 'starts look at the schedule',
    theme: 'slowStarts',
    takesOut: 'a run that was withdrawn before the last read does not start',
    edits: [
      {
        file: 'scheduling/claiming/confirm-start.ts',
        find: 'const withdrawn = applies && !isCurrent(head, message);',
        replace: 'const withdrawn = false;',
      },
    ],
  },
  {
    rule: 'starts look for a cancel',
    theme: 'slowStarts',
    takesOut: 'a run that was cancelled before the last read does not start',
    edits: [
      {
        file: 'scheduling/claiming/confirm-start.ts',
        find: `if (hold.cancelRequested || head.status === 'cancelled')`,
        replace: 'if (head.version < 0)',
      },
    ],
  },
  {
    rule: 'starts have the params in force',
    theme: 'slowStarts',
    takesOut: 'a run has the params that the last look has shown',
    edits: [
      { file: 'scheduling/claiming/confirm-start.ts', find: '      head = current.head;\n', replace: '' },
    ],
  },
  {
    rule: 'covering runs are not given back',
    takesOut: 'misfire: runOnce. A run that stands for others is not given back',
    edits: [
      { file: 'scheduling/claiming/confirm-start.ts', find: '!row && !coversMissed;', replace: '!row;' },
    ],
  },
  {
    rule: 'ahead stays withdrawn',
    theme: 'lastMoments',
    takesOut: 'a takeover does not start a run that was withdrawn between claim and start',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'const withdrawn = old.withdrawn && !row && !isCurrent(head, message);',
        replace: 'const withdrawn = false;',
      },
    ],
  },
  {
    rule: 'change-before-head',
    takesOut: 'the record of a change stands before the head: a crash in between leaves a change without one',
    edits: [
      {
        file: 'jobs/change-records.ts',
        find: `const updatedAt = await recordChange(context, { ...record, ...sides }, clock.now());`,
        replace: 'const updatedAt = clock.now();',
      },
      {
        file: 'jobs/change-records.ts',
        find: 'if (await writeHead(context, head, written)) return { head',
        replace: `if ((await writeHead(context, head, written)) && (await recordChange(context, { ...record, ...sides }, updatedAt))) return { head`,
      },
    ],
  },
  {
    rule: 'change-chain',
    takesOut: 'of several records of one version the one that reached the head is shown',
    edits: [
      {
        file: 'queries/list-changes.ts',
        find: 'if (change.version !== next?.version || change.at !== next.at) continue;',
        replace: '',
      },
    ],
  },
  {
    rule: 'change-time',
    from: 800,
    theme: 'planning',
    takesOut: 'no two attempts at one version share a record',
    edits: [
      {
        file: 'jobs/change-records.ts',
        find: 'if (await store.insertChange({ ...change, at })) return at;',
        replace: 'if ((await store.insertChange({ ...change, at })) !== undefined) return at;',
      },
    ],
  },
  {
    rule: 'reference clock',
    theme: 'clocks',
    takesOut: 'the clock of a machine is corrected by the Date of the answers it gets',
    edits: [
      {
        file: 'runtime/clock/reference-clock.ts',
        find: 'return off === 0 ? shown : Math.floor(shown - off);',
        replace: 'return off === 0 ? shown : shown;',
      },
    ],
  },
  {
    rule: 'jumps are seen',
    theme: 'clocks',
    takesOut: 'the clock of a machine is compared with the monotonic counter between two answers',
    edits: [
      {
        file: 'runtime/clock/reference-clock.ts',
        find: 'return { shown, off: offset.isKnown ? outside(at, shown) : assumedOff };',
        replace: 'return { shown, off: assumedOff };',
      },
    ],
  },
  {
    rule: 'wrong clock waits',
    theme: 'clocks',
    takesOut: 'a worker whose clock is off by more than is allowed starts nothing',
    edits: [
      {
        file: 'scheduling/context.ts',
        find: 'Math.abs(clock.offBy?.() ?? 0) <= settings.clockSkewMs / 2;',
        replace: 'Math.abs(clock.offBy?.() ?? 0) <= settings.clockSkewMs * 1e9;',
      },
    ],
  },
  {
    rule: 'cover ahead',
    theme: 'clocks',
    takesOut: 'coveredUntil beyond the present covers nothing',
    edits: [
      {
        file: 'scheduling/claiming/misfire.ts',
        find: 'coveredUntil !== undefined && dueAtOf(coveredUntil) > clock.now();',
        replace: 'coveredUntil !== undefined && dueAtOf(coveredUntil) > clock.now() * 2;',
      },
    ],
  },
  {
    rule: 'covers what fired',
    takesOut: 'misfire: runOnce. An occurrence that jitter keeps back is not covered',
    edits: [
      {
        file: 'scheduling/claiming/misfire.ts',
        find: 'fireTimeOf(head, message.due) <= dueAtOf(head.coveredUntil);',
        replace: 'dueAtOf(message.due) <= dueAtOf(head.coveredUntil);',
      },
    ],
  },
  {
    rule: 'cover past only',
    takesOut: 'misfire: runOnce. What may be in time by another clock is not covered',
    edits: [
      {
        file: 'scheduling/claiming/misfire.ts',
        find: 'clock.now() - 2 * settings.clockSkewMs;',
        replace: 'clock.now() - 0 * settings.clockSkewMs;',
      },
    ],
  },
  {
    rule: 'shard lease ahead',
    theme: 'clocks',
    takesOut: 'the lease of a shard that ends later than any can does not count',
    edits: [
      {
        file: 'scheduling/planning/watch-shards.ts',
        find: 'return left > 0 && left <= settings.shardLeaseMs + settings.clockSkewMs;',
        replace: 'return left > 0;',
      },
    ],
  },
  {
    rule: 'cursors ahead',
    theme: 'clocks',
    takesOut: 'cursors beyond the horizon are set back',
    edits: [
      {
        file: 'scheduling/planning/watch-shards.ts',
        find: 'if (aheadBy <= 0) return row;',
        replace: 'if (aheadBy !== 0.5) return row;',
      },
    ],
  },
  {
    rule: 'corrected writer',
    theme: 'clocks',
    takesOut: 'a writer whose clock was corrected meanwhile gives up',
    edits: [
      {
        file: 'scheduling/records/writer-deadline.ts',
        find: 'if (Math.abs(clock.now() - t0 - passed) > settings.clockSkewMs)',
        replace: 'if (Math.abs(clock.now() - t0 - passed) < 0)',
      },
    ],
  },
  {
    rule: 'ended again',
    theme: 'outage',
    takesOut:
      'a message whose execution has ended wakes the next one in line: the worker may have died before it did',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'if (row && isTerminal(row.status)) return repeatEnd(context, given, found, row);',
        replace: 'if (row && isTerminal(row.status)) return DROP;',
      },
    ],
  },
  {
    rule: 'turn goes on',
    theme: 'outage',
    takesOut: 'an execution that is cancelled when its turn comes wakes the next one in line',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: `if (claim.kind === 'drop' && (row || head.note?.status === 'WAITING'))
    await passTurn(context, head, message.due);`,
        replace: 'void passTurn;',
      },
    ],
  },
  {
    rule: 'fenced late is woken',
    theme: 'outage',
    takesOut: 'an execution that was fenced too late to start is woken like one that waits',
    edits: [
      {
        file: 'scheduling/running/after-execution.ts',
        find: "oldestFirst.find(({ status }) => status === 'RUNNING');",
        replace: 'undefined;',
      },
    ],
  },
  {
    rule: 'sent again',
    theme: 'outage',
    from: 2_400,
    takesOut: 'a worker that claims by a message that may have been redelivered sends a copy',
    edits: [
      {
        file: 'scheduling/running/message-visibility.ts',
        find: 'if (mayBeRedelivered()) sent = sendCopy(context, message);',
        replace: 'void [sendCopy, message];',
      },
    ],
  },
  {
    rule: 'not ours to delete',
    theme: 'outage',
    from: 2_100,
    takesOut: 'a message that may be in other hands is not deleted',
    edits: [
      {
        file: 'scheduling/running/message-visibility.ts',
        find: 'else if (!hidden.mayBeRedelivered()) await received.delete();',
        replace: 'else await received.delete();',
      },
    ],
  },
  {
    rule: 'recover checks',
    theme: 'outage',
    takesOut: 'recover sends an execution that has only a check, because its own slot is settled',
    edits: [
      {
        file: 'scheduling/planning/recover.ts',
        find: "minute <= lastDue || e.kind === 'check'",
        replace: "minute <= lastDue && e.kind !== 'check'",
      },
    ],
  },
  {
    rule: 'recover waiting',
    theme: 'outage',
    from: 1_550,
    takesOut: 'recover sends the oldest occurrence that waits',
    edits: [
      {
        file: 'scheduling/planning/recover.ts',
        find: 'await context.queue.send([...waiting.values()]);',
        replace: '',
      },
    ],
  },
  {
    rule: 'recover held',
    theme: 'outage',
    from: 2_200,
    takesOut:
      'recover sends what a lost worker holds, also beyond the cursor and when its schedule was withdrawn',
    edits: [
      {
        file: 'scheduling/planning/recover.ts',
        find: ' || (await holdOf(context, head, e)) !== undefined;',
        replace: ';',
      },
    ],
  },
  {
    rule: 'recover held waiting',
    theme: 'outage',
    from: 1_400,
    takesOut: 'recover sends an occurrence that waits and that a lost worker holds',
    edits: [{ file: 'scheduling/planning/recover.ts', find: ' || head.hold?.due === e.due', replace: '' }],
  },
  {
    rule: 'boot-over',
    embedded: true,
    takesOut: 'the hold of an earlier boot is over: a restart would wait for its lease',
    edits: [
      {
        file: 'scheduling/claiming/holds.ts',
        find: '(boot !== undefined && hold.boot !== boot) ||',
        replace: '',
      },
    ],
  },
  {
    rule: 'boot',
    embedded: true,
    takesOut: 'the hold of a process that lives is not over before its lease',
    edits: [
      {
        file: 'scheduling/claiming/holds.ts',
        find: 'boot !== undefined && hold.boot !== boot',
        replace: 'boot !== undefined',
      },
    ],
  },
  {
    rule: 'key slot before start',
    theme: 'keys',
    takesOut: 'an execution with a concurrency key starts only in a slot',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: 'if (slot) return start({ ...acquired, slot });',
        replace: 'return start({ ...acquired, ...(slot && { slot }) });',
      },
    ],
  },
  {
    rule: 'key hold then slot',
    theme: 'keys',
    embedded: true,
    takesOut: 'a slot is acquired after its hold',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'if (!(await writeHead(context, head, change))) return RETRY;\n  const isFirst',
        replace: `let early;
  if (head.limit) {
    early = await acquireSlot(context, { head, hold, sentAt } as AcquiredHold, found);
    if (!early) return waitForSlot(context, head, message);
  }
  if (!(await writeHead(context, head, change))) return RETRY;
  const isFirst`,
      },
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'import { findSlot, startInSlot',
        replace: 'import { acquireSlot, findSlot, startInSlot',
      },
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: `return startInSlot(context, acquired, found, row ? 'release' : 'restore', async (inSlot) => {`,
        replace: `const begin = (go) => early ? go({ ...acquired, slot: early }) :
    startInSlot(context, acquired, found, row ? 'release' : 'restore', go);
  return begin(async (inSlot) => {`,
      },
    ],
  },
  {
    rule: 'key slot as read',
    theme: 'keys',
    takesOut: 'a slot is acquired on condition of the content that was found free',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: 'if (await confirmWrite(() => store.writeKeySlot(seen, slot), isOurs)) return slot;',
        replace: `const now = (await store.readKeySlots(slot, { consistent: true })).find((s) => s.n === n) ?? seen;
    if (await confirmWrite(() => store.writeKeySlot(now, slot), isOurs)) return slot;`,
      },
    ],
  },
  {
    rule: 'key token in hold',
    theme: 'keys',
    takesOut: 'a slot whose lease is over stays taken while its token is in a live hold',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: 'return hold?.token !== token || isOver(context, hold, readAt);',
        replace: 'return true;',
      },
    ],
  },
  {
    rule: 'key row expired',
    theme: 'keys',
    from: 13,
    takesOut: 'a slot is free if the lease of its hold is over, also if no row shows the end of the run',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: 'return hold?.token !== token || isOver(context, hold, readAt);',
        replace: 'return hold?.token !== token;',
      },
    ],
  },
  {
    rule: 'key fence',
    theme: 'keys',
    takesOut: 'a row shows the end of a run in a slot only if it has the token of the slot',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: 'return slots.filter(({ token }) => ended.has(token));',
        replace: `const over = rows.filter(({ status }) => status !== 'RUNNING');
  return slots.filter(({ jobId, due }) => over.some((row) => row.jobId === jobId && row.due === due));`,
      },
    ],
  },
  {
    rule: 'key running row',
    theme: 'keys',
    takesOut: 'a RUNNING row with the token of a slot keeps the slot',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: "rows.filter(({ status }) => status !== 'RUNNING').map",
        replace: 'rows.map',
      },
    ],
  },
  {
    rule: 'key successor',
    theme: 'keys',
    from: 300,
    takesOut: 'a worker whose lease has ended acquires no slot',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: 'if (!free || !isLeased(context, acquired)) return undefined;',
        replace: 'if (!free) return undefined;',
      },
    ],
  },
  {
    rule: 'key paused in slot',
    theme: 'keys',
    takesOut: 'a worker that was stopped after it acquired a slot starts nothing after its lease',
    edits: [
      {
        file: 'scheduling/claiming/confirm-start.ts',
        find: 'round <= MAX_ROUNDS && isLeased(context, acquired); round++',
        replace: 'round <= MAX_ROUNDS && (acquired.slot || isLeased(context, acquired)); round++',
      },
      {
        file: 'scheduling/claiming/confirm-start.ts',
        find: 'if (isRecent && isLeased(context, acquired))',
        replace: 'if (isRecent && (acquired.slot || isLeased(context, acquired)))',
      },
    ],
  },
  {
    rule: 'restored hold has a new token',
    theme: 'outage',
    takesOut: 'an undone claim puts back the hold of another execution with a new token',
    edits: [
      {
        file: 'scheduling/claiming/holds.ts',
        find: 'if (hasEnded(hold, row)) return hold;',
        replace: 'if (hold || row) return hold;',
      },
    ],
  },
  {
    rule: 'key waits without attempt',
    theme: 'keys',
    takesOut: 'a claim that finds no slot is undone, so that it counts no attempt',
    edits: [
      {
        file: 'scheduling/claiming/key-slots.ts',
        find: 'await giveUp();\n  return waitForSlot',
        replace: 'return waitForSlot',
      },
    ],
  },
  {
    rule: 'key covers in slot',
    theme: 'keys',
    takesOut: 'a run covers missed occurrences when it has its slot',
    edits: [
      {
        file: 'scheduling/claiming/claim-exclusive.ts',
        find: 'const coversNow = head.limit ? undefined : cover;',
        replace: 'const coversNow = cover;',
      },
    ],
  },
  {
    rule: 'operation-acts-first',
    theme: 'backfilling',
    takesOut: 'a step of an operation is committed after it has acted',
    edits: [
      {
        file: 'jobs/operations/carry-out.ts',
        find: 'const step = await carryOutStep(context, operation, turn);',
        replace: `const before: Operation = operation;
    const { beyond } = await WORK.backfill.upcoming(context, before);
    operation = await replaceOperation(context, before, { ...before, next: beyond ?? before.params.to });
    if (!operation) return false;
    const step = await carryOutStep(context, before, turn);`,
      },
    ],
  },
  {
    rule: 'operation-listed',
    theme: 'backfilling',
    takesOut: 'an operation stays listed until it has ended',
    edits: [
      {
        file: 'jobs/operations/carry-out.ts',
        find: 'let turn = newTurn(context, mayGoOn);',
        replace: 'let turn = newTurn(context, mayGoOn);\n  await store.delistOperation(listed);',
      },
    ],
  },
  {
    rule: 'operation-stop-waits',
    theme: 'backfilling',
    takesOut: 'a stop returns after the step that is under way',
    edits: [
      {
        file: 'jobs/operations/operation-requests.ts',
        find: 'await letHolderFinish(context, ended);',
        replace: '',
      },
    ],
  },
  {
    rule: 'name-pointer-first',
    theme: 'named',
    takesOut: 'the pointer of a name is written before the head of its job',
    edits: [
      {
        file: 'jobs/named/put-named-job.ts',
        find: WRITE_POINTER,
        replace: '',
      },
      {
        file: 'jobs/named/put-named-job.ts',
        find: '  if (replaced !== undefined) await cancelReplaced(context, who, replaced, jobId);',
        replace: `${WRITE_POINTER}  if (replaced !== undefined) await cancelReplaced(context, who, replaced, jobId);`,
      },
    ],
  },
  {
    rule: 'name-compare',
    theme: 'named',
    takesOut: 'a pointer is written by compare-and-set',
    edits: [
      {
        file: 'jobs/named/put-named-job.ts',
        find: '() => store.writeName(seen, {',
        replace:
          'async () => store.writeName(await store.readName(pointer.userId, pointer.namespace, pointer.name), {',
      },
    ],
  },
  {
    rule: 'name-previous',
    theme: 'named',
    takesOut: 'the pointer names the job that is replaced',
    edits: [
      { file: 'jobs/named/put-named-job.ts', find: 'previous: replaced,', replace: 'previous: undefined,' },
    ],
  },
  {
    rule: 'name-reserved',
    theme: 'named',
    takesOut: 'a job is created under the id of the pointer that has no head yet',
    edits: [
      {
        file: 'jobs/named/put-named-job.ts',
        find: 'const jobId = reserved ?? newJobId(context.random);\n  if (reserved === undefined) {',
        replace: 'const jobId = newJobId(context.random);\n  if (reserved !== jobId) {',
      },
    ],
  },
  {
    rule: 'name-leftover',
    theme: 'named',
    takesOut: 'a replaced job that a crash has left is cancelled by the next request',
    edits: [
      { file: 'jobs/named/put-named-job.ts', find: 'if (found.leftover) await', replace: 'if (false) await' },
    ],
  },
  {
    rule: 'bulk-later-jobs',
    theme: 'bulk',
    takesOut: 'a bulk operation leaves jobs alone that were created after its request',
    edits: [
      {
        file: 'domain/jobs/bulk-change.ts',
        find: 'head.createdAt > requestedAt || ',
        replace: '',
      },
      {
        file: 'store/cursors.ts',
        find: 'createdAt: time + 1,',
        replace: 'createdAt: time + 600_000,',
      },
    ],
  },
  {
    rule: 'bulk-in-time',
    theme: 'bulk',
    takesOut: 'a bulk operation changes jobs in the first half of its lease only',
    edits: [
      {
        file: 'jobs/operations/bulk-steps.ts',
        find: 'inTime: () => turn.inTime(),',
        replace: 'inTime: () => {},',
      },
    ],
  },
  {
    rule: 'bulk-selects-again',
    theme: 'bulk',
    takesOut: 'a bulk operation checks a job again with the head that it changes',
    edits: [
      {
        file: 'jobs/operations/bulk-steps.ts',
        find: 'if (!isToChange(context, operation, head)) throw new NoLongerSelected();',
        replace: '',
      },
    ],
  },
  {
    rule: 'search-goes-on',
    theme: 'searching',
    takesOut: 'dispatch goes on with a search that has ended by its budget',
    edits: [
      {
        file: 'scheduling/planning/dispatch-slot.ts',
        find: '...(ended ? [searchEntry(head, ended.searchedUntil, searchMinute)] : []),',
        replace: '',
      },
    ],
  },
];
