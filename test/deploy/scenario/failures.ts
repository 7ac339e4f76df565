// Failures: a worker is killed in the middle of a run, and the watcher's rule is disabled for minutes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PunctualClient } from '../../../src/client/client.ts';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { createClients } from '../../../src/runtime/aws-clients.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { until } from '../../support/until.ts';
import { holds, same } from '../check.ts';
import type { Deployment } from '../deployment.ts';
import { REGION } from '../names.ts';
import type { Step } from '../report.ts';
import type { Worker, Workers } from '../workers.ts';
import { reached } from './jobs.ts';

/** Kills the worker that runs the job. The other one takes over when the lease has ended. */
export async function killWorker(
  ann: PunctualClient,
  running: Worker[],
  workers: Workers,
  step: Step,
): Promise<void> {
  await step('kill a worker in the middle of a run', async (note) => {
    const { id } = await ann.jobs.create({
      name: 'interrupted',
      task: 'noop',
      params: { durationMs: 15_000 },
    });
    const [first] = await reached(ann, id, 'running');
    const victim = running.find((worker) => worker.id === first?.workerId);
    holds(victim, `one of the workers runs the job, not ${first?.workerId}`);
    await victim.kill();
    running.splice(running.indexOf(victim), 1, await workers.start());
    const [after] = await reached(ann, id, 'succeeded');
    same([after?.id, after?.attempt], [first?.id, 2], 'the execution and its attempt');
    holds(after?.workerId !== victim.id, 'another worker has run it');
    const seconds = (Date.parse(after?.timeline.finishedAt ?? '') - Date.parse(after?.dueAt ?? '')) / 1000;
    note(`the other worker finished it ${seconds.toFixed(0)} s after its due time`);
  });
}

/** Waits until the watcher, invoked by the rule, has moved the cursor of every shard to the look-ahead. */
export async function watcherFires({ emulator }: Deployment, workers: Workers, step: Step): Promise<void> {
  await step('the EventBridge rule invokes the watcher', async (note) => {
    const { PUNCTUAL_PREFIX = '', PUNCTUAL_SHARDS, PUNCTUAL_LOOK_AHEAD_MS } = workers.variables;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const clients = createClients({
      region: REGION,
      credentials,
      endpoints: { dynamodb: emulator.endpoint },
    });
    const shards = Number(PUNCTUAL_SHARDS);
    const store = createDynamoStore({ client: clients.dynamodb, tablePrefix: PUNCTUAL_PREFIX, shards });
    try {
      const horizon = minuteOf(Date.now() + Number(PUNCTUAL_LOOK_AHEAD_MS));
      await until(
        `all ${shards} cursors have reached the look-ahead`,
        async () => {
          const rows = await Promise.all(
            Array.from({ length: shards }, (_, shard) => store.readShard(shard)),
          );
          return rows.every((row) => (row?.dispatchedUntil ?? 0) >= horizon);
        },
        { withinMs: 150_000, everyMs: 1000 },
      );
      note(`${shards} shards`);
    } finally {
      clients.destroy();
    }
  });
}

export interface Outage {
  /** How long the rule is disabled. */
  readonly minutes: number;
  /** Jobs due so long after their creation are not in SQS yet: look-ahead, watch period and margin. */
  readonly aheadMs: number;
}

/** Disables the rule. Jobs that are due meanwhile run when it is enabled again. */
export async function disableRule(
  { physicalId, aws }: Deployment,
  ann: PunctualClient,
  { minutes, aheadMs }: Outage,
  step: Step,
): Promise<void> {
  await step(`disable the rule for ${minutes} minutes, and catch up`, async (note) => {
    const rule = physicalId('AWS::Events::Rule', /Watcher/);
    await aws('events', 'disable-rule', '--name', rule);
    const ended = Date.now() + minutes * 60_000;
    // Beyond what its creator sends, so only the watcher can send it. It would have done so in the last minute of the outage.
    const { id: far } = await ann.jobs.create({
      name: 'sent-by-the-watcher',
      task: 'noop',
      schedule: { at: new Date(Date.now() + aheadMs + 5_000).toISOString() },
    });
    const { id: often } = await ann.jobs.create({
      name: 'through-the-outage',
      task: 'noop',
      schedule: { every: 'PT30S' },
      misfire: { policy: 'runAll' },
    });
    await sleep(Math.max(0, ended - Date.now()));
    await aws('events', 'enable-rule', '--name', rule);
    const [late] = await reached(ann, far, 'succeeded');
    const expected = Math.floor((minutes * 60) / 30) - 1;
    const runs = await reached(ann, often, 'succeeded', expected);
    await ann.jobs.cancel(often);
    const due = runs.map(({ dueAt }) => Date.parse(dueAt)).sort((a, b) => a - b);
    holds(
      due.every((time, index) => index === 0 || time - (due[index - 1] ?? 0) === 30_000),
      'no occurrence of the recurring job is missing',
    );
    note(`the job was ${late?.latenessMs} ms late, the recurring one ran ${runs.length} times without a gap`);
  });
}
