// The interface of a running system for the benchmark of lateness: an embedded server, or processes on the AWS path.
import type { Row } from '../../src/domain/executions/row.ts';
import { delaySeconds } from '../../src/queue/sqs/sender.ts';
import type { ExecutionKey } from '../../src/store/store.ts';
import { createJobs } from '../aws/create.ts';
import { inSystem } from '../aws/system.ts';
import type { Engine } from '../report.ts';
import { type Durability, durabilityOf } from './durability.ts';
import { inEmbedded } from './embedded.ts';
import { idsOf } from './rest.ts';
import type { Spec } from './specs.ts';
import type { Start } from './starts.ts';

export interface Target {
  /** Creates jobs, and returns their ids in order. A refused job stops the benchmark. */
  create(specs: readonly Spec[]): Promise<string[]>;
  starts(): Start[];
  rows(keys: readonly ExecutionKey[]): Promise<readonly Row[]>;
  /** The time at which a worker could receive the message. Undefined if the engine delivers to a waiting worker. */
  visibleAt(enqueuedAt: number, fireAt: number): number | undefined;
  /** The counters since the start of the server. Undefined if the engine has none. */
  durability(): Promise<Durability | undefined>;
}

export const inTarget = <T>(engine: Engine, body: (target: Target) => Promise<T>): Promise<T> =>
  engine === 'aws' ? onAws(body) : embedded(body);

const embedded = <T>(body: (target: Target) => Promise<T>): Promise<T> =>
  inEmbedded({}, (server) =>
    body({
      create: async (specs) => idsOf(await server.rest.createBatches(specs)),
      starts: server.starts,
      rows: server.rows,
      visibleAt: () => undefined,
      durability: async () => durabilityOf(await server.counts()),
    }),
  );

const onAws = <T>(body: (target: Target) => Promise<T>): Promise<T> =>
  inSystem({}, async (system) => {
    await system.start('worker');
    return body({
      create: (specs) => createJobs(system.backend.ctx, specs),
      starts: system.starts,
      rows: (keys) => system.backend.ctx.store.readRows(keys, { consistent: true }),
      visibleAt: (enqueuedAt, fireAt) => enqueuedAt + delaySeconds(fireAt, enqueuedAt) * 1000,
      durability: async () => undefined,
    });
  });
