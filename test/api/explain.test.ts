// GET /jobs/{id}/explain. Each verdict is produced through the API, with the protocol's own claims, finishes and passes of the
// watcher on a clock that the tests move.
import { describe, expect, it } from 'vitest';
import { executionId, parseExecutionId } from '../../src/domain/executions/ids.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import { explanationShape, VERDICTS, type Verdict } from '../../src/domain/views/explanation.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { finishAttempt, type Outcome } from '../../src/scheduling/running/finish-attempt.ts';
import { claimedOf } from '../support/standing-world.ts';
import { NOW, testApi } from './api.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 1440 * MINUTE;
const iso = (time: number) => new Date(time).toISOString();
/** Due at 12:01 and every minute after that. */
const EVERY_MINUTE = { every: 'PT1M', startAt: iso(NOW + MINUTE) };
const FIRST = NOW + MINUTE;
const OPERATOR = { user: 'olga', groups: ['punctual-operators'] };
const SUCCEEDED: Outcome = { kind: 'succeeded', result: undefined };

const seen = new Set<Verdict>();

function opened() {
  const api = testApi();
  const { ctx, store, queue, call, create, tick } = api;
  const shards = Array.from({ length: ctx.settings.shards }, (_, n) => n);
  const explain = async (id: string, at?: number | string, options = {}) => {
    const query = at === undefined ? '' : `?at=${encodeURIComponent(typeof at === 'string' ? at : iso(at))}`;
    const answer = await call('GET', `/jobs/${id}/explain${query}`, options);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const explanation = explanationShape.parse(answer.body);
    seen.add(explanation.verdict);
    expect(explanation.because).toMatch(/^[^\n]+\.$/);
    return explanation;
  };
  const goTo = (time: number) => tick(time - ctx.clock.now());
  const messageOf = (id: string, due: number) => {
    const found = queue.messages.find((sent) => executionId(sent.jobId, sent.due).startsWith(`${id}.${due}`));
    if (!found) throw new Error(`no message of ${id} due ${iso(due)}`);
    return found;
  };
  return {
    ...api,
    explain,
    goTo,
    job: async (more = {}): Promise<string> => (await create({ schedule: EVERY_MINUTE, ...more })).id,
    claims: async (id: string, due = FIRST, worker = 'worker_1') => claim(ctx, worker, messageOf(id, due)),
    ends: async (claimed: Awaited<ReturnType<typeof claim>>, outcome = SUCCEEDED) => {
      const { startedAt = 0 } = claimedOf(claimed).row;
      await finishAttempt(ctx, claimedOf(claimed), outcome, { receivedAt: startedAt, startedAt });
    },
    watcherPasses: () => watch(ctx, shards, new AbortController().signal),
    workerBeats: (workerId = 'worker_2') =>
      store.putWorker({ workerId, startedAt: NOW, beatAt: ctx.clock.now(), running: [], host: 'h' }),
    /** Sets the cursors of all shards, as a watcher would have. */
    cursorsAt: (time: number) =>
      Promise.all(
        shards.map((shard) =>
          store.insertShard({
            shard,
            leaseUntil: 0,
            dispatchedUntil: minuteOf(time),
            settledUntil: minuteOf(time),
          }),
        ),
      ),
  };
}

describe('executions with a row', () => {
  it('ran: says how late it started, in which attempt and how long it took', async () => {
    const { job, claims, ends, explain, goTo, tick } = opened();
    const id = await job();
    goTo(FIRST + 4);
    const claimed = await claims(id);
    tick(213);
    await ends(claimed);
    tick(20 * SECOND);
    expect(await explain(id, FIRST)).toEqual({
      verdict: 'ran',
      because: `The execution due ${iso(FIRST)} started 4 ms late and in attempt 1 of 3 succeeded after 213 ms.`,
      dueAt: iso(FIRST),
      evidence: [{ what: 'execution succeeded', at: iso(FIRST + 217), href: `/executions/${id}.${FIRST}` }],
      next: iso(FIRST + MINUTE),
    });
  });

  it('ran: a failure says its error', async () => {
    const { job, claims, ends, explain, goTo } = opened();
    const id = await job({ retry: { maxAttempts: 1 } });
    goTo(FIRST);
    const error = { name: 'HttpError', message: 'answered 503' };
    await ends(await claims(id), { kind: 'failed', error, retry: 'backoff' });
    const { verdict, because } = await explain(id, FIRST);
    expect([verdict, because]).toEqual([
      'ran',
      `The execution due ${iso(FIRST)} started on time and in attempt 1 of 1 failed after 0 ms with HttpError: answered 503.`,
    ]);
  });

  it('ran: a manual run is found by its time, also between two occurrences', async () => {
    const { job, call, endRow, explain, tick } = opened();
    const id = await job({ schedule: { cron: '0 9 * * *' } });
    tick(1234);
    const { body } = await call('POST', `/jobs/${id}/run`);
    await endRow(body.id, 'SUCCEEDED');
    const { verdict, because, evidence } = await explain(id, NOW + 5 * SECOND);
    expect(verdict).toBe('ran');
    expect(because).toContain(`The manual run of ${iso(NOW + 1234)} started on time`);
    expect(because).toContain(`(nearest to ${iso(NOW + 5 * SECOND)}, 3.8 s away)`);
    expect(evidence[0]?.href).toBe(`/executions/${body.id}`);
  });

  it('ran: of several manual runs within a minute, the nearest one', async () => {
    const { job, call, endRow, explain, tick } = opened();
    const id = await job({ schedule: { cron: '0 9 * * *' } });
    const runs: { id: string; dueAt: string }[] = [];
    for (let n = 0; n < 12; n++) {
      tick(4 * SECOND);
      const { body } = await call('POST', `/jobs/${id}/run`);
      await endRow(body.id, 'SUCCEEDED');
      runs.push(body);
    }
    for (const [n, run] of runs.entries()) {
      const { evidence, dueAt } = await explain(id, Date.parse(run.dueAt) + (n % 3) - 1);
      expect([evidence[0]?.href, dueAt]).toEqual([`/executions/${run.id}`, run.dueAt]);
    }
    expect((await explain(id)).dueAt).toBe(runs.at(-1)?.dueAt);
  });

  it('ran: with jitter, from the due time until a minute after the fire time', async () => {
    const { job, call, claims, ends, explain, goTo, tick } = opened();
    const id = await job({ schedule: { cron: '5 12 * * *', jitterSeconds: 1800 } });
    const { body } = await call('GET', `/jobs/${id}/executions?status=scheduled&limit=1`);
    const [due, fires] = [Date.parse(body.items[0].dueAt), Date.parse(body.items[0].fireAt)];
    expect(fires).toBeGreaterThan(due + 2 * MINUTE);
    goTo(fires);
    await ends(await claims(id, due));
    goTo(fires + 2 * MINUTE);
    for (const at of [due, due + SECOND, fires, fires + 20 * SECOND, fires + MINUTE])
      expect(await explain(id, at), iso(at)).toMatchObject({ verdict: 'ran', dueAt: iso(due) });
    for (let n = 0; n < 7; n++) {
      tick(SECOND);
      await call('POST', `/jobs/${id}/run`);
    }
    expect(await explain(id, fires + MINUTE)).toMatchObject({ verdict: 'ran', dueAt: iso(due) });
    const manual = fires + 2 * MINUTE + SECOND;
    expect(await explain(id, manual - SECOND)).toMatchObject({ dueAt: iso(manual) });
  });

  it('ran: an error with several lines stays one sentence', async () => {
    const { job, claims, ends, explain, goTo } = opened();
    const id = await job({ retry: { maxAttempts: 2 } });
    goTo(FIRST);
    const error = { name: 'Error', message: 'exit code 1\n  at line 7.\n' };
    await ends(await claims(id), { kind: 'failed', error, retry: { afterMs: 0 } });
    const text = 'with Error: exit code 1 at line 7';
    expect((await explain(id, FIRST)).because).toContain(`${text}; its next attempt`);
    await ends(await claims(id), { kind: 'failed', error, retry: 'never' });
    expect((await explain(id, FIRST)).because).toMatch(new RegExp(`${text}\\.$`));
  });

  it('retrying: says the error and when the next attempt starts', async () => {
    const { job, claims, ends, explain, goTo } = opened();
    const id = await job();
    goTo(FIRST);
    const error = { name: 'Error', message: 'refused' };
    await ends(await claims(id), { kind: 'failed', error, retry: { afterMs: 5000 } });
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'retrying',
      because: `The execution due ${iso(FIRST)} failed in attempt 1 of 3 with Error: refused; its next attempt starts in 5 s, at ${iso(FIRST + 5000)}.`,
    });
  });

  it('waiting: names the execution that holds the job', async () => {
    const { job, claims, explain, goTo } = opened();
    const id = await job({ overlap: 'queue' });
    goTo(FIRST);
    await claims(id);
    goTo(FIRST + MINUTE);
    await claims(id, FIRST + MINUTE);
    const { verdict, because, evidence } = await explain(id, FIRST + MINUTE);
    expect(verdict).toBe('waiting');
    expect(because).toContain(`for the execution due ${iso(FIRST)}, which has not ended`);
    expect(evidence.map(({ href }) => href)).toEqual([
      `/executions/${id}.${FIRST + MINUTE}`,
      `/executions/${id}.${FIRST}`,
    ]);
  });

  it('waiting: a manual run that no worker has received, and noWorker if none is alive', async () => {
    const { job, call, explain, workerBeats, tick } = opened();
    const id = await job();
    await call('POST', `/jobs/${id}/run`);
    tick(3000);
    expect(await explain(id, NOW)).toMatchObject({ verdict: 'noWorker' });
    await workerBeats();
    expect(await explain(id, NOW)).toMatchObject({
      verdict: 'waiting',
      because: `The manual run of ${iso(NOW)} waits since ${iso(NOW)} (3 s) for a free worker.`,
    });
  });

  it('skippedOverlap: another execution was running', async () => {
    const { job, claims, explain, goTo, store } = opened();
    const id = await job();
    goTo(FIRST);
    const { row } = claimedOf(await claims(id));
    await store.extendLease(row, row.number, FIRST + 2 * MINUTE, undefined);
    goTo(FIRST + MINUTE);
    await claims(id, FIRST + MINUTE);
    expect(await explain(id, FIRST + MINUTE)).toMatchObject({
      verdict: 'skippedOverlap',
      because: `The execution due ${iso(FIRST + MINUTE)} was skipped: overlap: the execution due ${iso(FIRST)} was still running.`,
    });
  });

  it('skippedMisfire: it was too late', async () => {
    const { job, claims, explain, goTo } = opened();
    const id = await job({ misfire: { policy: 'skip', graceSeconds: 10 } });
    goTo(FIRST + 30 * SECOND);
    await claims(id);
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'skippedMisfire',
      because: `The execution due ${iso(FIRST)} was skipped: misfire: 30 s late, 10 s allowed.`,
    });
  });

  it('coveredByRunOnce: one run stood for it, before and after its row is written', async () => {
    const { job, claims, explain, goTo, store } = opened();
    const id = await job();
    goTo(FIRST + 4 * MINUTE);
    await claims(id);
    const covered = FIRST + MINUTE;
    expect(await explain(id, covered)).toMatchObject({ verdict: 'coveredByRunOnce', dueAt: iso(covered) });
    await claims(id, covered);
    expect(await store.readRow(id, String(covered), { consistent: true })).toMatchObject({
      status: 'SKIPPED',
    });
    expect(await explain(id, covered)).toMatchObject({
      verdict: 'coveredByRunOnce',
      because: `The execution due ${iso(covered)} was skipped: misfire: one run stood for all that were missed.`,
    });
  });

  it('cancelled: one execution by request', async () => {
    const { job, call, explain, goTo } = opened();
    const id = await job();
    expect((await call('POST', `/executions/${id}.${FIRST}/cancel`)).status).toBe(202);
    goTo(FIRST + SECOND);
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'cancelled',
      because: `The execution due ${iso(FIRST)} ended at ${iso(NOW)}: cancelled by request.`,
    });
  });

  it('paused: an execution that waited is explained by the pause, not by its status', async () => {
    const { job, claims, ends, call, explain, goTo } = opened();
    const id = await job({ overlap: 'queue' });
    goTo(FIRST);
    const first = await claims(id);
    const second = FIRST + MINUTE;
    goTo(second);
    await claims(id, second);
    await call('POST', `/jobs/${id}/pause`, { body: { note: 'maintenance' } });
    await ends(first);
    await claims(id, second);
    const { verdict, because, evidence } = await explain(id, second);
    expect(verdict).toBe('paused');
    expect(because).toContain(`alice paused the job at ${iso(second)} ("maintenance")`);
    expect(evidence.map(({ href }) => href)).toEqual([`/executions/${id}.${second}`, `/jobs/${id}/changes`]);
  });
});

describe('executions that run', () => {
  it.each(['skip', 'allow'])(
    'running, with overlap %s: names the worker, and links it for operators only',
    async (overlap) => {
      const { job, claims, explain, goTo, tick } = opened();
      const id = await job({ overlap });
      goTo(FIRST);
      await claims(id);
      tick(2500);
      const explained = await explain(id, FIRST);
      expect(explained).toMatchObject({
        verdict: 'running',
        because: `The execution due ${iso(FIRST)} runs since ${iso(FIRST)} (2.5 s) on worker_1, in attempt 1 of 3.`,
      });
      expect(explained.evidence.map(({ href }) => href)).toEqual([`/executions/${id}.${FIRST}`, undefined]);
      expect((await explain(id, FIRST, OPERATOR)).evidence[1]?.href).toBe('/workers');
    },
  );

  it('running: a second attempt, with its row', async () => {
    const { job, claims, ends, explain, goTo, tick } = opened();
    const id = await job();
    goTo(FIRST);
    const error = { name: 'Error', message: 'refused' };
    await ends(await claims(id), { kind: 'failed', error, retry: { afterMs: 5000 } });
    tick(5000);
    await claims(id);
    tick(SECOND);
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'running',
      because: expect.stringContaining(
        `runs since ${iso(FIRST + 5000)} (1 s) on worker_1, in attempt 2 of 3.`,
      ),
    });
  });

  it('beingRecovered: the lease of its worker is over, and another worker is alive', async () => {
    const { job, claims, explain, goTo, tick, workerBeats } = opened();
    const id = await job();
    goTo(FIRST);
    await claims(id);
    tick(40 * SECOND);
    await workerBeats();
    const explained = await explain(id, FIRST);
    expect(explained).toMatchObject({
      verdict: 'beingRecovered',
      because: `The execution due ${iso(FIRST)} ran on worker_1, whose lease ended at ${iso(FIRST + 30 * SECOND)}; another worker takes it over.`,
    });
    expect(explained.evidence).toContainEqual({ what: 'last heartbeat of worker_1', at: iso(FIRST) });
  });

  it('noWorker: the lease of its worker is over, and no other worker is alive', async () => {
    const { job, claims, explain, goTo, tick } = opened();
    const id = await job();
    goTo(FIRST);
    await claims(id);
    tick(40 * SECOND);
    expect(await explain(id, FIRST)).toMatchObject({ verdict: 'noWorker' });
  });
});

describe('occurrences that did not start', () => {
  it('paused: who, when, why and until when', async () => {
    const { job, call, explain, goTo, tick } = opened();
    const id = await job();
    tick(SECOND);
    await call('POST', `/jobs/${id}/pause`, { ...OPERATOR, body: { note: 'the receiver is being moved' } });
    goTo(FIRST + 5 * SECOND);
    expect(await explain(id, FIRST)).toEqual({
      verdict: 'paused',
      because: `olga paused the job at ${iso(NOW + SECOND)} ("the receiver is being moved"), until it is resumed.`,
      dueAt: iso(FIRST),
      evidence: [
        {
          what: 'paused by olga: the receiver is being moved',
          at: iso(NOW + SECOND),
          href: `/jobs/${id}/changes`,
        },
      ],
    });
    await call('POST', `/jobs/${id}/resume`);
    tick(SECOND);
    const { verdict, because } = await explain(id, FIRST);
    expect([verdict, because]).toEqual([
      'paused',
      expect.stringContaining(`until ${iso(FIRST + 5 * SECOND)}.`),
    ]);
  });

  it('paused with an end: occurrences after it are not', async () => {
    const { job, call, explain } = opened();
    const id = await job();
    const until = FIRST + 3 * MINUTE;
    await call('POST', `/jobs/${id}/pause`, { body: { until: iso(until) } });
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'paused',
      because: `alice paused the job at ${iso(NOW)}, until ${iso(until)}.`,
      next: iso(until),
    });
    expect(await explain(id, until)).toMatchObject({ verdict: 'notYetDue' });
  });

  it('paused: a pause withdraws an occurrence that was due and not started', async () => {
    const { job, call, explain, goTo } = opened();
    const id = await job();
    goTo(FIRST + 30 * SECOND);
    await call('POST', `/jobs/${id}/pause`);
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'paused',
      because: `alice paused the job at ${iso(FIRST + 30 * SECOND)}, which withdrew the occurrence of ${iso(FIRST)}: it had not started.`,
    });
  });

  it('edited: the schedule had the occurrence before, has it since, or lost it while it was due', async () => {
    const { job, call, explain, goTo, tick } = opened();
    const nine = Date.parse('2026-11-17T09:00:00Z');
    const ten = Date.parse('2026-11-17T10:00:00Z');
    const id = await job({ schedule: { cron: '0 9 * * *' } });
    tick(SECOND);
    await call('PATCH', `/jobs/${id}`, { body: { schedule: { cron: '0 10 * * *' }, note: 'later' } });
    const removed = await explain(id, nine);
    expect(removed).toMatchObject({
      verdict: 'edited',
      because: `alice edited the schedule at ${iso(NOW + SECOND)} ("later"), which had an occurrence at ${iso(nine)} before and has none since.`,
      next: iso(ten),
    });
    expect(removed.evidence[0]?.href).toBe(`/jobs/${id}/changes`);
    goTo(ten + MINUTE);
    await call('PATCH', `/jobs/${id}`, { body: { schedule: { cron: '30 12 * * *' } } });
    const { verdict, because } = await explain(id, '2026-11-16T12:30:00Z');
    expect(verdict, because).toBe('edited');
    expect(because).toContain('which had no occurrence at 2026-11-16T12:30:00.000Z before that');
    expect(await explain(id, ten)).toMatchObject({
      verdict: 'edited',
      because: expect.stringContaining(`which withdrew the occurrence of ${iso(ten)}: it had not started.`),
    });
  });

  it('edited: the same schedule again withdraws what had not started', async () => {
    const { job, call, explain, goTo, claims, workerBeats, cursorsAt, tick } = opened();
    const id = await job({ schedule: { cron: '*/5 * * * *' } });
    const due = NOW + 5 * MINUTE;
    await cursorsAt(NOW);
    goTo(due + 2 * SECOND);
    await workerBeats();
    expect(await explain(id, due)).toMatchObject({ verdict: 'waiting' });
    await call('PATCH', `/jobs/${id}`, { body: { timeoutSeconds: 60 } });
    expect(await explain(id, due)).toMatchObject({ verdict: 'waiting' });
    tick(SECOND);
    const body = { schedule: { cron: '*/5 * * * *' }, name: 'other' };
    expect((await call('PATCH', `/jobs/${id}`, { body })).status).toBe(200);
    expect((await claims(id, due)).kind).toBe('drop');
    const { verdict, because, evidence } = await explain(id, due);
    expect([verdict, evidence.length]).toEqual(['edited', 2]);
    expect(because).toContain(
      `planned its schedule again, which withdrew the occurrence of ${iso(due)}: it had not started.`,
    );
  });

  it('noRecord: a change withdrew it that is older than the last 20', async () => {
    const { job, call, explain, goTo, workerBeats, cursorsAt, tick } = opened();
    const id = await job({ schedule: { cron: '*/5 * * * *' } });
    const due = NOW + 5 * MINUTE;
    await cursorsAt(due);
    goTo(due + SECOND);
    await call('POST', `/jobs/${id}/pause`);
    await call('POST', `/jobs/${id}/resume`);
    for (let n = 0; n < 20; n++) {
      tick(SECOND);
      await call('PATCH', `/jobs/${id}`, { body: { timeoutSeconds: 60 + n } });
    }
    await workerBeats();
    expect(await explain(id, due)).toMatchObject({
      verdict: 'noRecord',
      because: expect.stringContaining('by one of the changes before 2026-11-16T12:05:02.000Z'),
    });
  });

  it('paused: a pause and an edit at the same time are not taken for each other', async () => {
    const { job, call, explain } = opened();
    const id = await job();
    await call('POST', `/jobs/${id}/pause`, { body: { until: iso(NOW + 60 * MINUTE), note: 'move' } });
    await call('PATCH', `/jobs/${id}`, { body: { schedule: { cron: '* * * * *' } } });
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'paused',
      because: `alice paused the job at ${iso(NOW)} ("move"), until ${iso(NOW + 60 * MINUTE)}.`,
    });
  });

  it('cancelled: the job, with who and why', async () => {
    const { job, call, explain, goTo, tick } = opened();
    const id = await job();
    tick(SECOND);
    await call('DELETE', `/jobs/${id}?note=obsolete`);
    goTo(FIRST + SECOND);
    const explained = await explain(id, FIRST);
    expect(explained).toMatchObject({
      verdict: 'cancelled',
      because: `alice cancelled the job at ${iso(NOW + SECOND)} ("obsolete").`,
    });
    expect(explained.next).toBeUndefined();
  });

  it('beforeStart: before the job was created, and before startAt', async () => {
    const { job, explain } = opened();
    const cron = await job({ schedule: { cron: '0 * * * *' } });
    expect(await explain(cron, NOW - DAY)).toMatchObject({
      verdict: 'beforeStart',
      because: `The job was created at ${iso(NOW)}, after ${iso(NOW - DAY)}.`,
    });
    const startAt = iso(NOW + DAY);
    const later = await job({ schedule: { cron: '0 * * * *', startAt } });
    expect(await explain(later, NOW + 60 * MINUTE)).toMatchObject({
      verdict: 'beforeStart',
      because: `The schedule starts at ${startAt}, after ${iso(NOW + 60 * MINUTE)}.`,
      next: startAt,
    });
  });

  it('afterEnd: after endAt', async () => {
    const { job, explain } = opened();
    const endAt = iso(NOW + DAY);
    const id = await job({ schedule: { cron: '0 * * * *', endAt } });
    const explained = await explain(id, NOW + DAY + 60 * MINUTE);
    expect(explained).toMatchObject({ verdict: 'afterEnd', because: expect.stringContaining(endAt) });
    expect(explained.next).toBeUndefined();
  });

  it('notYetDue: in the future, and after the due time until jitter has passed', async () => {
    const { job, explain, tick } = opened();
    const id = await job();
    expect(await explain(id, FIRST)).toMatchObject({
      verdict: 'notYetDue',
      because: `The occurrence is due at ${iso(FIRST)}, in 60 s.`,
      next: iso(FIRST + MINUTE),
    });
    const jittery = await job({ schedule: { cron: '1 * * * *', jitterSeconds: 3600 } });
    tick(MINUTE + 1);
    const { verdict, because } = await explain(jittery, FIRST);
    expect([verdict, because]).toEqual(['notYetDue', expect.stringContaining('by its jitter')]);
  });

  it('notDispatched: the cursor of the watcher is behind', async () => {
    const { job, explain, cursorsAt, tick } = opened();
    const id = await job();
    await cursorsAt(NOW);
    tick(20 * MINUTE);
    const due = NOW + 15 * MINUTE;
    const explained = await explain(id, due);
    expect(explained).toMatchObject({
      verdict: 'notDispatched',
      because: expect.stringMatching(
        /^The occurrence of 2026-11-16T12:15:00.000Z is 5 min late, and the watcher has not sent it: occurrences of shard \d+ are sent until 2026-11-16T12:01:00.000Z\.$/,
      ),
    });
    expect(explained.evidence[0]?.at).toBe(iso(NOW + MINUTE));
  });

  it('notDispatched: no watcher has ever come, except for what the create itself has sent', async () => {
    const { job, explain, workerBeats, tick } = opened();
    const id = await job();
    tick(20 * MINUTE);
    await workerBeats();
    expect(await explain(id, NOW + 15 * MINUTE)).toMatchObject({
      verdict: 'notDispatched',
      because: 'The occurrence of 2026-11-16T12:15:00.000Z is 5 min late, and the watcher has not sent it.',
      evidence: [],
    });
    expect(await explain(id, NOW + 3 * MINUTE)).toMatchObject({ verdict: 'waiting' });
  });

  it('noWorker: it was sent, and no worker is alive; then waiting; then beingRecovered', async () => {
    const { job, explain, watcherPasses, workerBeats, cursorsAt, tick } = opened();
    await cursorsAt(NOW - MINUTE);
    const id = await job({ schedule: { cron: '15 12 * * *' } });
    const due = NOW + 15 * MINUTE;
    tick(12 * MINUTE);
    await watcherPasses();
    tick(3 * MINUTE + 5 * SECOND);
    const alone = await explain(id, due);
    expect(alone).toMatchObject({
      verdict: 'noWorker',
      because: `The occurrence of ${iso(due)} is 5 s late: it was sent to the workers, and no worker is alive.`,
    });
    expect(alone.evidence.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^shard \d+ is dispatched until$/),
      'no worker has sent a heartbeat since',
    ]);
    await workerBeats();
    expect(await explain(id, due)).toMatchObject({
      verdict: 'waiting',
      because: `The occurrence of ${iso(due)} is 5 s late: it was sent to the workers, and waits for a free worker.`,
    });
    tick(5 * MINUTE);
    await watcherPasses();
    await workerBeats();
    expect(await explain(id, due)).toMatchObject({
      verdict: 'beingRecovered',
      because: expect.stringMatching(/no worker has started it, so it was sent again; the next check is at/),
    });
  });

  it('waiting: for a seat of a concurrency key, however long', async () => {
    const { job, explain, goTo, workerBeats } = opened();
    const id = await job({ limit: { key: 'db', concurrent: 2 } });
    goTo(FIRST + 10 * SECOND);
    await workerBeats();
    const { verdict, because } = await explain(id, FIRST);
    expect([verdict, because]).toEqual([
      'waiting',
      expect.stringContaining('a seat of the key "db", which 2 executions may have at once'),
    ]);
  });

  it('noRecord: long ago, and nothing is left of it', async () => {
    const { job, explain, cursorsAt, tick } = opened();
    const id = await job({ schedule: { cron: '0 13 * * *' } });
    tick(100 * DAY);
    await cursorsAt(NOW + 100 * DAY - 3 * MINUTE);
    expect(await explain(id, NOW + 60 * MINUTE)).toMatchObject({ verdict: 'noRecord' });
  });
});

describe('times without an occurrence', () => {
  it('notInSchedule: has the schedule in words, and the nearest times', async () => {
    const { job, explain } = opened();
    const id = await job({ schedule: { cron: '0 9 * * *' } });
    const explained = await explain(id, '2026-11-18T10:00:00Z');
    expect(explained).toEqual({
      verdict: 'notInSchedule',
      because:
        'The schedule ("At 09:00 every day, UTC") has no occurrence within 60 s of 2026-11-18T10:00:00.000Z; the nearest are 2026-11-18T09:00:00.000Z and 2026-11-19T09:00:00.000Z.',
      evidence: [
        { what: 'occurrence before', at: '2026-11-18T09:00:00.000Z', href: `/jobs/${id}` },
        { what: 'occurrence after', at: '2026-11-19T09:00:00.000Z', href: `/jobs/${id}` },
      ],
      next: '2026-11-19T09:00:00.000Z',
    });
  });

  it('the nearest occurrence within a minute is meant, and the answer says so', async () => {
    const { job, explain } = opened();
    const id = await job({ schedule: { cron: '0 9 * * *' } });
    const nine = '2026-11-17T09:00:00.000Z';
    for (const [at, away] of [
      ['2026-11-17T09:00:23Z', '23 s'],
      ['2026-11-17T08:59:00Z', '60 s'],
    ] as const) {
      const { verdict, dueAt, because } = await explain(id, at);
      expect([verdict, dueAt]).toEqual(['notYetDue', nine]);
      expect(because).toContain(`, ${away} away).`);
    }
    expect((await explain(id, '2026-11-17T09:01:00.001Z')).verdict).toBe('notInSchedule');
    expect((await explain(id, nine)).because).not.toContain('away');
  });

  it('excluded: names the exclusion', async () => {
    const { job, explain } = opened();
    const id = await job({ schedule: { cron: '0 9 * * *', except: ['2026-11-18', '2026-12-25'] } });
    expect(await explain(id, '2026-12-25T09:00:00Z')).toMatchObject({
      verdict: 'excluded',
      because: 'schedule.except removes the occurrence of 2026-12-25T09:00:00.000Z: no runs on 2026-12-25.',
      next: '2026-12-26T09:00:00.000Z',
    });
    expect((await explain(id, '2026-12-25T10:00:00Z')).verdict).toBe('notInSchedule');
  });

  it('dstGap: names the local time that does not exist, and where the run went', async () => {
    const { job, explain } = opened();
    const schedule = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
    // In Berlin clocks go from 02:00 to 03:00 at 01:00 UTC on 28 March 2027.
    const at = '2027-03-28T02:30:00+01:00';
    const skipped = await job({ schedule: { ...schedule, dst: { gap: 'skip' } } });
    expect(await explain(skipped, at)).toMatchObject({
      verdict: 'dstGap',
      because:
        '2027-03-28 02:30 does not exist in Europe/Berlin: clocks went forward at 2027-03-28T01:00:00.000Z, and the job does not run.',
    });
    const moved = await job({ schedule });
    const explained = await explain(moved, at);
    expect(explained).toMatchObject({
      verdict: 'dstGap',
      because: expect.stringContaining('and the job runs at 2027-03-28T01:00:00.000Z instead'),
    });
    const moment = Date.parse('2027-03-28T01:00:00Z');
    expect(explained.evidence[1]?.href).toBe(`/executions/${moved}.${moment}`);
    expect((await explain(moved, moment)).verdict).toBe('notYetDue');
    for (const other of [
      '2027-03-28T02:10:00+01:00',
      '2027-03-28T03:30:00+02:00',
      '2027-03-27T02:40:00+01:00',
    ])
      expect((await explain(skipped, other)).verdict, other).toBe(
        other.startsWith('2027-03-28T03:30') ? 'dstGap' : 'notInSchedule',
      );
  });
});

describe('the question', () => {
  it('without `at`: the latest occurrence that was due', async () => {
    const { job, explain, goTo, claims, ends } = opened();
    const id = await job();
    goTo(FIRST + 2);
    await ends(await claims(id));
    goTo(FIRST + 50 * SECOND);
    expect(await explain(id)).toMatchObject({ verdict: 'ran', dueAt: iso(FIRST) });
    const once = await job({ schedule: { in: 'PT1H' } });
    expect(await explain(once)).toMatchObject({ verdict: 'notInSchedule' });
  });

  it('without `at`: the latest occurrence by the schedule of then, however often the job was edited', async () => {
    const { job, call, explain, goTo, claims, ends } = opened();
    const id = await job({ schedule: { cron: '*/5 * * * *' } });
    const due = NOW + 5 * MINUTE;
    goTo(due);
    await ends(await claims(id, due));
    goTo(NOW + 7 * MINUTE);
    for (const cron of ['3 * * * *', '2 * * * *']) {
      await call('PATCH', `/jobs/${id}`, { body: { schedule: { cron } } });
      expect(await explain(id)).toMatchObject({ verdict: 'ran', dueAt: iso(due) });
    }
    goTo(NOW + 62 * MINUTE + SECOND);
    expect(await explain(id)).toMatchObject({ dueAt: iso(NOW + 62 * MINUTE) });
  });

  it('any instant is answered, the first and the last of all included', async () => {
    const { job, explain } = opened();
    const ids = [
      await job(),
      await job({ schedule: { cron: '0 9 * * *' } }),
      await job({ schedule: { in: 'PT1H' } }),
    ];
    for (const id of ids)
      for (const at of [
        '0001-01-01T00:00:00Z',
        '1970-01-01T00:00:00Z',
        '2199-12-31T23:59:59Z',
        '9999-12-31T23:59:59Z',
      ])
        await explain(id, at);
  });

  it('an invalid time is refused, and names the field', async () => {
    const { job, call } = opened();
    const id = await job();
    for (const at of ['yesterday', '2026-12-01', '2026-12-01T10:00:00']) {
      const answer = await call('GET', `/jobs/${id}/explain?at=${at}`);
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'at' }] } });
    }
  });

  it('ids in links can be read', async () => {
    const { job, explain, goTo, claims, call } = opened();
    const id = await job();
    goTo(FIRST);
    await claims(id);
    const { evidence } = await explain(id, FIRST);
    for (const { href } of evidence) if (href) expect((await call('GET', href)).status, href).toBe(200);
    expect(parseExecutionId(evidence[0]?.href?.split('/').at(-1) ?? '')).toBeTruthy();
  });

  it('every verdict of the contract was produced by a test of this file', () => {
    expect([...seen].sort()).toEqual(Object.keys(VERDICTS).sort());
  });
});
