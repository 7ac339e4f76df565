// A request by name is cut off before each of its calls of the store. The next request leaves one job.
import { describe, expect, it } from 'vitest';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../src/domain/principal.ts';
import { cancelJob } from '../../src/jobs/cancel-job.ts';
import { cancelNamedJob } from '../../src/jobs/named/cancel-named-job.ts';
import { isLive } from '../../src/jobs/named/find-named-job.ts';
import { putNamedJob } from '../../src/jobs/named/put-named-job.ts';
import { getNamedJob } from '../../src/queries/get-job.ts';
import type { Context } from '../../src/scheduling/context.ts';
import { EVERY_MINUTE, type StandingWorld, standingWorld, USER } from '../support/standing-world.ts';

const NAME = { namespace: 'billing', name: 'nightly' };
const who = asUser(USER);
const described = (change: Record<string, unknown> = {}) => ({
  spec: jobSpecSchema.parse({ task: 'noop', ...EVERY_MINUTE, ...change }),
  paused: false,
});

class Killed extends Error {}

/** A process that dies at its call number `calls` of the store. With `after`, the call takes effect. */
function dying({ context }: StandingWorld, calls: number, after: boolean): Context {
  let left = calls;
  const store = new Proxy(context.store, {
    get(target, name) {
      const method = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        left--;
        if (left < 0 || (left === 0 && !after)) throw new Killed();
        const result = await method.apply(target, args);
        if (left === 0) throw new Killed();
        return result;
      };
    },
  });
  return { ...context, store };
}

const live = ({ store }: StandingWorld) => store.heads.all().filter(isLive);

/** All moments at which a request can die, as worlds after its death. */
async function* deaths(prepare: (world: StandingWorld) => Promise<unknown>, change: Record<string, unknown>) {
  for (const after of [false, true]) {
    for (let calls = 1; ; calls++) {
      const world = standingWorld();
      await prepare(world);
      const death = putNamedJob(dying(world, calls, after), who, NAME, described(change)).then(
        () => undefined,
        (error: unknown) => error,
      );
      const error = await death;
      if (error === undefined) break;
      if (!(error instanceof Killed)) throw error;
      yield { world, moment: `${after ? 'after' : 'before'} call ${calls}` };
    }
  }
}

const existing = ({ context }: StandingWorld) => putNamedJob(context, who, NAME, described());

describe.each([
  ['create', async () => {}, {}],
  ['update', existing, { timeoutSeconds: 5 }],
  ['replace', existing, { overlap: 'allow' }],
] as const)('a %s that is cut off at any call', (action, prepare, change) => {
  it('is completed by the next request, with one job', async () => {
    let moments = 0;
    for await (const { world, moment } of deaths(prepare, change)) {
      moments++;
      expect(live(world).length, moment).toBeLessThanOrEqual(2);
      const { job } = await putNamedJob(world.context, who, NAME, described(change));
      expect(
        live(world).map(({ jobId }) => jobId),
        moment,
      ).toEqual([job.id]);
      const { action: again } = await putNamedJob(world.context, who, NAME, described(change));
      expect(again, moment).toBe('none');
    }
    expect(moments).toBeGreaterThan(action === 'create' ? 10 : 8);
  });

  it('leaves a name that GET answers, and that DELETE empties', async () => {
    for await (const { world, moment } of deaths(prepare, change)) {
      const job = await getNamedJob(world.context, who, NAME).catch(() => undefined);
      if (action !== 'create') expect(job?.status, moment).toBe('active');
      await cancelNamedJob(world.context, who, NAME).catch(() => undefined);
      expect(live(world), moment).toEqual([]);
      await putNamedJob(world.context, who, NAME, described());
      expect(live(world), moment).toHaveLength(1);
    }
  });

  it('leaves jobs that may be cancelled by id', async () => {
    for await (const { world, moment } of deaths(prepare, change)) {
      for (const { jobId } of live(world)) await cancelJob(world.context, who, jobId);
      await putNamedJob(world.context, who, NAME, described());
      expect(live(world), moment).toHaveLength(1);
    }
  });

  it('may be followed by another description', async () => {
    for await (const { world, moment } of deaths(prepare, change)) {
      const other = described({ overlap: 'queue', timeoutSeconds: 7 });
      const { job } = await putNamedJob(world.context, who, NAME, other);
      expect(
        live(world).map(({ jobId, timeoutSeconds }) => [jobId, timeoutSeconds]),
        moment,
      ).toEqual([[job.id, 7]]);
    }
  });
});

it('a create that lands late makes no second job', async () => {
  const world = standingWorld();
  const { store } = world.context;
  let land: (() => void) | undefined;
  const slow: Context = {
    ...world.context,
    store: new Proxy(store, {
      get(target, name) {
        const method = Reflect.get(target, name, target);
        if (name !== 'insertHead') return typeof method === 'function' ? method.bind(target) : method;
        return (head: never) =>
          new Promise((resolve) => {
            land = () => resolve(store.insertHead(head));
          });
      },
    }),
  };
  const late = putNamedJob(slow, who, NAME, described({ timeoutSeconds: 1 }));
  while (!land) await new Promise((resolve) => setImmediate(resolve));
  const { job } = await putNamedJob(world.context, who, NAME, described({ timeoutSeconds: 2 }));
  land();
  const { job: edited, action } = await late;
  expect([edited.id, action, edited.timeoutSeconds]).toEqual([job.id, 'update', 1]);
  expect(live(world)).toHaveLength(1);
});
