// The check of change records. Every change of a head has exactly one record with the right author, and no other record is
// shown. The comparison is made at the end, with the list that the API returns.

import { fingerprint } from '../../src/domain/digest.ts';
import type { ChangeKind, ChangeView } from '../../src/domain/jobs/change.ts';
import type { Head } from '../../src/domain/jobs/job.ts';
import { listChanges } from '../../src/queries/list-changes.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { BULK_NOTE } from './bulk-checks.ts';
import type { Process } from './process.ts';
import type { SimulatedWorld } from './simulated-world.ts';

const OPERATOR = { userId: 'checks', operator: true };
/** Small, so that lists have several pages. */
const PAGE = 2;
const EVERY_RECORD = 'every change has one record, and no other is shown';

interface Seen {
  readonly context: Context;
  readonly by: string | undefined;
  readonly what: ChangeKind;
  readonly before: Head | undefined;
  readonly head: Head;
}

export class ChangeChecks {
  readonly #world: SimulatedWorld;
  readonly #who = new Map<Context, string>();
  /** The changes that API calls have written to the head of each job, oldest first. */
  readonly #seen = new Map<string, Seen[]>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  asks(process: Process, userId: string): void {
    this.#who.set(process.context, userId);
  }

  /** A head is written. A hold, a note or the end of a one-time job is not a change by a person. */
  head(before: Head | undefined, head: Head): void {
    const { actor } = this.#world;
    const isPerson = actor?.kind === 'api' || actor?.kind === 'operations';
    if (!isPerson || before?.version === head.version) return;
    if (head.status === 'completed' || head.status === 'failed') return;
    const { context } = actor;
    const seen = this.#seen.get(head.jobId) ?? [];
    // the owner creates a job, also if an operator makes the other changes
    const by = before ? (this.#requesterOf(head) ?? this.#who.get(context)) : head.userId;
    seen.push({ context, by, what: kindOf(before, head), before, head });
    this.#seen.set(head.jobId, seen);
    this.#world.count(`change ${kindOf(before, head)}`);
  }

  /** The user who requested the bulk operation that has made the change. */
  #requesterOf(head: Head): string | undefined {
    const note = this.#world.checks.operations.bulk.recordOf(head)?.note;
    if (!note?.startsWith(BULK_NOTE)) return undefined;
    const all = [...this.#world.store.operations.values()];
    return all.find(({ kind, params }) => kind === 'bulk' && 'note' in params && params.note === note)
      ?.userId;
  }

  /** An edit has returned, so it must have changed the head once. */
  edited(jobId: string, context: Context): void {
    const own = this.#seen.get(jobId)?.filter((seen) => seen.context === context) ?? [];
    if (own.length !== 1) this.#fail(jobId, `an edit that returned has written ${own.length} versions`);
  }

  async compare(): Promise<void> {
    for (const [jobId, seen] of this.#seen) {
      const shown = await this.#shown(jobId);
      const expected = seen.toReversed();
      const versions = (all: readonly { version: number }[]) => all.map(({ version }) => version).join(' ');
      const written = versions(expected.map(({ head }) => head));
      if (versions(shown) !== written)
        this.#fail(jobId, `versions ${written} are recorded as ${versions(shown) || 'none'}`);
      for (const [i, one] of expected.entries()) this.#same(jobId, one, shown[i]);
    }
  }

  async #shown(jobId: string): Promise<ChangeView[]> {
    const { store } = this.#world;
    const context = { store } as unknown as Context;
    const shown: ChangeView[] = [];
    let cursor: string | undefined;
    do {
      const page = await listChanges(context, OPERATOR, jobId, {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      shown.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return shown;
  }

  #same(jobId: string, { head, before, by, what }: Seen, shown: ChangeView | undefined): void {
    if (!shown) return;
    const said = `version ${head.version} says ${JSON.stringify(shown)}`;
    if (shown.by !== by) this.#fail(jobId, `${said}, and was written by ${by}`);
    // the pause may end by itself while a resume is in progress
    const wasResumed =
      what === 'edited' && shown.what === 'resumed' && before?.pausedUntil !== undefined && !head.pausedUntil;
    // a request by name may edit and pause in one change
    const byName = head.applied === head.version;
    const isBoth = byName && shown.what === 'edited' && (what === 'paused' || what === 'resumed');
    if (shown.what !== what && !wasResumed && !isBoth) this.#fail(jobId, `${said}, and is ${what}`);
    if (Date.parse(shown.at) !== head.updatedAt) this.#fail(jobId, `${said}, and its time is another`);
    const noted = shown.note?.startsWith('pause of ') || shown.note?.startsWith(BULK_NOTE);
    if (what === 'paused' && !byName && !noted) this.#fail(jobId, `${said}, without its note`);
    const schedule = fingerprint(head.schedule);
    const expected = schedule === fingerprint(before?.schedule) ? undefined : schedule;
    const found = shown.after?.schedule && fingerprint(shown.after.schedule);
    if (found !== expected)
      this.#fail(jobId, `${said}, and its schedule is ${JSON.stringify(head.schedule)}`);
  }

  #fail(jobId: string, detail: string): void {
    this.#world.fail(EVERY_RECORD, `${this.#world.checks.nameOf(jobId)}: ${detail}`);
  }
}

function kindOf(before: Head | undefined, { status, pausedUntil, updatedAt }: Head): ChangeKind {
  if (!before) return 'created';
  // a change that removes a pause that is over is not a resume
  const wasPaused = (before.pausedUntil ?? 0) > updatedAt;
  if (pausedUntil !== before.pausedUntil && status === 'active' && (pausedUntil !== undefined || wasPaused))
    return pausedUntil === undefined ? 'resumed' : 'paused';
  if (before.status === status) return 'edited';
  if (status === 'active') return 'resumed';
  return status === 'paused' ? 'paused' : 'cancelled';
}
