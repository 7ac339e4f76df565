// Sequences of requests of one user, from a seed. All times are milliseconds since the start of the sequence, on a grid of 5 s.
// Occurrences are due at its points. Requests that start something come 1 s after a point, all others 2.5 s after one. Durations
// and retries are near multiples of the grid. So no outcome depends on milliseconds, and none on the order at one instant. A text such as «job:0» refers to what an earlier answer had; side.ts replaces it.
import { Seeded } from '../support/seeded.ts';

export interface Step {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Default: the user of the sequence. */
  readonly as?: 'operator' | 'stranger' | 'nobody' | 'forger';
  /** The number that a created job gets, or of the first job of a batch. */
  readonly makes?: number;
  /** Only this of the answer is compared, because it also depends on other users. Default: everything. */
  readonly compare?: 'status' | 'shape';
}

export interface Sequence {
  readonly seed: number;
  /** Names the user. Sequences that run at the same time differ in it. */
  readonly slot: number;
  readonly steps: readonly Step[];
}

const GRID = 5_000;
const OFFSET = 2_500;
/** Requests that start something come so much earlier than others. */
const EARLIER = 1_500;
/** Every fifth start has a server that ends at this time. The next one starts after a pause in which occurrences are missed. */
export const STOPS_AT = 170_000;
export const RESTARTS_AT = 230_000;
export const ENDS_AT = 300_000;

/** Starts of sequences: ends of summer time in two zones, a beginning of it, and days without either. */
const STARTS = [
  '2026-10-25T00:55:00Z',
  '2026-11-01T05:55:00Z',
  '2026-10-03T15:56:00Z',
  '2026-10-31T23:54:00Z',
  '2026-10-14T11:57:00Z',
].map((time) => Date.parse(time));
const ZONES = [
  'Europe/Paris',
  'America/New_York',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  '+05:30',
  'UTC',
];
export const SLOTS = 50;

export const startOf = (seed: number): number => STARTS[seed % STARTS.length] ?? 0;
export const slotOf = (seed: number): number => Math.floor(seed / STARTS.length) % SLOTS;

/** Missed occurrences of one job start in any order, so these sequences have no schedule that misses two. */
export const restarts = (seed: number): boolean => seed % STARTS.length === 4;

type Json = Record<string, unknown>;

export function sequenceOf(seed: number): Sequence {
  const slot = slotOf(seed);
  return { seed, slot, steps: new Author(new Chance(seed, 77), startOf(seed), slot, restarts(seed)).steps() };
}

/** Undefined may be among the choices: a field or a body that is absent. */
class Chance extends Seeded {
  override pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }
}

class Author {
  readonly #r: Chance;
  readonly #start: number;
  readonly #slot: number;
  readonly #hasRestart: boolean;
  readonly #steps: Step[] = [];
  #at = 0;
  #jobs = 0;
  #keys = 0;
  /** Whether a schedule has whole seconds. A second one would be due at the same instants, in the order of random ids. */
  #hasCron = false;
  #phase = 0;

  constructor(random: Chance, start: number, slot: number, hasRestart: boolean) {
    this.#hasRestart = hasRestart;
    this.#r = random;
    this.#start = start;
    this.#slot = slot;
  }

  steps(): readonly Step[] {
    const parts = [
      [0, STOPS_AT - 20_000],
      [RESTARTS_AT + 5_000, ENDS_AT - 20_000],
    ];
    for (const [from = 0, until = 0] of this.#hasRestart ? parts : [[0, ENDS_AT - 20_000]]) {
      for (this.#at = from + OFFSET; this.#at < until; this.#at += GRID * this.#r.int(1, 2)) {
        if (this.#jobs < 2 || (this.#jobs < 4 && this.#r.chance(0.4))) this.#create();
        else this.#any();
      }
    }
    return this.#steps;
  }

  #send(method: string, path: string, more: Partial<Step> = {}): void {
    this.#steps.push({ at: this.#at, method, path, ...more });
  }

  /** A request that may start an execution. */
  #begin(method: string, path: string, more: Partial<Step> = {}): void {
    this.#send(method, path, { at: this.#at - EARLIER, ...more });
  }

  /** The next request of the same subject comes later. */
  #later(grids = 1): void {
    this.#at += GRID * grids;
  }

  #iso = (at: number): string => new Date(this.#start + at).toISOString();
  /** A multiple of the grid, relative to now. */
  #grid = (grids: number): string => this.#iso((Math.floor(this.#at / GRID) + grids) * GRID);
  /** A point of the grid, some milliseconds later. No two schedules of a sequence have the same, so that no order is by chance. */
  #own = (grids: number): string =>
    this.#iso((Math.floor(this.#at / GRID) + grids) * GRID + (this.#phase++ % 40) + 1);
  #job = (): string => `«job:${this.#r.int(0, Math.max(0, this.#jobs - 1))}»`;
  #exec = (): string => `«exec:${this.#r.int(0, 9)}»`;

  #any(): void {
    const r = this.#r;
    const actions = {
      create: [6, () => this.#create()],
      refusedCreate: [5, () => this.#send('POST', '/jobs', { body: this.#wrongJob() })],
      repeatedCreate: [2, () => this.#repeatedCreate()],
      laterCreate: [2, () => this.#create({ prefer: 'respond-async' })],
      batch: [2, () => this.#batch()],
      edit: [7, () => this.#edit()],
      pause: [5, () => this.#send('POST', `/jobs/${this.#job()}/pause`, { body: this.#pauseBody() })],
      resume: [
        4,
        () =>
          this.#send('POST', `/jobs/${this.#job()}/resume`, {
            body: r.pick([undefined, {}, { note: 'again' }, { until: 'x' }]),
          }),
      ],
      cancel: [2, () => this.#send('DELETE', `/jobs/${this.#job()}${r.pick(['', '?note=over', '?not=x'])}`)],
      run: [6, () => this.#run()],
      backfill: [3, () => this.#backfill()],
      named: [6, () => this.#named()],
      bulk: [3, () => this.#bulk()],
      lists: [8, () => this.#list()],
      execution: [9, () => this.#execution()],
      explain: [
        4,
        () =>
          this.#send(
            'GET',
            `/jobs/${this.#job()}/explain${r.pick(['', `?at=${this.#grid(r.int(-4, 2))}`, `?at=${this.#grid(-1)}`, '?at=soon'])}`,
          ),
      ],
      deadLetters: [5, () => this.#deadLetters()],
      limits: [2, () => this.#limits()],
      preview: [4, () => this.#preview()],
      service: [4, () => this.#service()],
      wrong: [3, () => this.#wrongRequest()],
      stranger: [2, () => this.#stranger()],
      look: [4, () => this.#look()],
    } as const satisfies Record<string, readonly [number, () => void]>;
    const weights = Object.fromEntries(Object.entries(actions).map(([name, [weight]]) => [name, weight]));
    actions[r.weighted(weights as Record<keyof typeof actions, number>)][1]();
  }

  // ---- jobs

  #task(): Json {
    const r = this.#r;
    const receiver = `http://«receiver»/${this.#slot}`;
    return r.weighted({ noop: 7, http: 3 }) === 'noop'
      ? {
          task: 'noop',
          params: r.pick<Json>([
            {},
            { result: { rows: 3 } },
            { durationMs: 100 },
            { durationMs: 4_900 },
            { durationMs: 10_100 },
            { durationMs: 20_100 },
            { failTimes: 1 },
            { failTimes: 2, durationMs: 100 },
            { failTimes: 50 },
            { fail: true },
            { durationMs: 25_100, failTimes: 1 },
          ]),
        }
      : {
          task: 'http',
          params: r.pick<Json>([
            { url: `${receiver}/ok` },
            { url: `${receiver}/echo`, method: 'POST', body: { a: 1 } },
            { url: `${receiver}/status/500` },
            { url: `${receiver}/status/404` },
            { url: `${receiver}/flaky/1` },
            { url: `${receiver}/slow/5100`, timeoutSeconds: 10.1 },
            { url: `${receiver}/slow/20100`, timeoutSeconds: 5.1 },
            { url: `${receiver}/status/202`, expectedStatuses: [202, '3xx'] },
            { url: `${receiver}/after/5` },
          ]),
        };
  }

  #schedule(): Json | undefined {
    const r = this.#r;
    const ends = r.chance(0.3) ? { endAt: this.#grid(r.int(2, 30)) } : {};
    const wanted = r.weighted({ every: 8, cron: 5, at: 3, in: 3, calendar: 2, none: 3 });
    const kind = this.#hasCron && /^c/.test(wanted) ? 'every' : wanted;
    this.#hasCron ||= /^c/.test(kind);
    if (kind === 'every')
      return {
        every: r.pick(
          this.#hasRestart
            ? ['PT1M', 'PT1M', 'PT2M', 'PT5M']
            : ['PT5S', 'PT10S', 'PT15S', 'PT20S', 'PT30S', 'PT1M', 'PT5M'],
        ),
        startAt: this.#own(r.int(-3, 4)),
        ...ends,
        ...(r.chance(0.15) && { except: [{ from: this.#grid(3), to: this.#grid(r.int(5, 12)) }] }),
      };
    if (kind === 'cron')
      return {
        cron: r.pick(
          this.#hasRestart
            ? ['* * * * *', '*/2 * * * *', '@hourly', 'rate(1 minute)']
            : [
                '*/10 * * * * *',
                '5,20 * * * * *',
                '* * * * *',
                '*/2 * * * *',
                '30 2 * * *',
                '@hourly',
                '0 0 9 L * ?',
                '*/20 * * * * *',
                'rate(1 minute)',
              ],
        ),
        ...(r.chance(0.6) && { timezone: r.pick(ZONES) }),
        ...ends,
        ...(r.chance(0.2) && {
          except: [
            r.pick<unknown>([
              '2026-12-25',
              '2026-10-25',
              { cron: '* 0-1 * * *' },
              { cron: '30-59 * * * * *' },
            ]),
          ],
        }),
        ...(r.chance(0.2) && { dst: { gap: r.pick(['skip', 'after']), overlap: r.pick(['once', 'twice']) } }),
      };
    if (kind === 'at') return { at: this.#own(r.int(2, 12)) };
    if (kind === 'in') return { in: r.pick(['PT9S', 'PT14S', 'PT29S', 'PT64S', 'P1D']) };
    if (kind === 'calendar')
      return {
        calendar: r.pick<Json>([
          { hour: [1, 2, 12], minute: [0, 1, 2, 58, 59] },
          { minute: 0 },
          { date: 'L', hour: 2 },
          { daysOfWeek: ['MON', 'SUN'], hour: 2, minute: 30 },
        ]),
        timezone: r.pick(ZONES),
      };
    return undefined;
  }

  #policies(): Json {
    const r = this.#r;
    const { chance, pick } = { chance: r.chance.bind(r), pick: r.pick.bind(r) };
    return {
      ...(chance(0.6) && { overlap: pick(['skip', 'queue', 'allow']) }),
      ...(chance(0.5) && {
        misfire: { policy: pick(['runAll', 'runOnce', 'skip']), graceSeconds: pick([0, 20, 60, 3_600]) },
      }),
      retry: {
        maxAttempts: pick([1, 2, 3, 4]),
        backoffSeconds: pick([0, 5.1, 10.1]),
        maxBackoffSeconds: pick([10.1, 900]),
      },
      ...(chance(0.15) && { timeoutSeconds: pick([5.1, 60]) }),
      ...(chance(0.25) && { limit: { key: pick(['db', 'api']), concurrent: pick([1, 1, 2]) } }),
    };
  }

  #spec(): Json {
    const r = this.#r;
    const hook = `http://«receiver»/${this.#slot}/${r.pick(['hook', 'hook', 'hook-flaky'])}`;
    const schedule = this.#schedule();
    return {
      ...this.#task(),
      ...(schedule && { schedule }),
      ...this.#policies(),
      ...(r.chance(0.5) && { name: r.pick(['report', 'repair', 'invoice', 'backup']) }),
      ...(r.chance(0.4) && { tags: r.pick<Json>([{ team: 'billing' }, { team: 'web', env: 'test' }]) }),
      ...(r.chance(0.5) && {
        notify: [
          {
            on: r.pick([
              ['failed'],
              ['succeeded', 'failed'],
              ['retrying', 'skipped'],
              ['late', 'failed'],
              ['succeeded', 'failed', 'retrying', 'late', 'skipped'],
            ]),
            webhook: { url: hook },
          },
        ],
      }),
    };
  }

  #wrongJob(): unknown {
    const r = this.#r;
    const every = { every: 'PT10S', startAt: this.#grid(2) };
    return r.pick<unknown>([
      {},
      [],
      'job',
      { task: 'nope' },
      { task: 'noop', params: { durationMs: -1 } },
      { task: 'noop', params: { wrong: 1 } },
      { task: 'http', params: { url: 'ftp://x' } },
      { task: 'http', params: {} },
      { task: 'noop', schedule: {} },
      { task: 'noop', schedule: { every: 'PT0.1S' } },
      { task: 'noop', schedule: { every: 'PT5S', cron: '* * * * *' } },
      { task: 'noop', schedule: { at: '2020-01-01T00:00:00Z' } },
      { task: 'noop', schedule: { at: '2026-13-01T00:00:00Z' } },
      { task: 'noop', schedule: { cron: '61 * * * *' } },
      { task: 'noop', schedule: { cron: '0 0 30 2 *' } },
      { task: 'noop', schedule: { cron: '0 9 * * *', timezone: 'Mars/Olympus' } },
      { task: 'noop', schedule: { ...every, endAt: this.#grid(1) } },
      { task: 'noop', schedule: { ...every, except: ['tomorrow'] } },
      { task: 'noop', schedule: { calendar: {} } },
      { task: 'noop', schedule: { calendar: { date: 31, month: 2 } } },
      { task: 'noop', schedule: { in: 'P1Y1' } },
      { task: 'noop', overlap: 'sometimes' },
      { task: 'noop', retry: { maxAttempts: 0 } },
      { task: 'noop', retry: { maxAttempts: 101, more: 1 } },
      { task: 'noop', misfire: { policy: 'never' } },
      { task: 'noop', timeoutSeconds: 1e9 },
      { task: 'noop', timeoutSeconds: 40_000 },
      { task: 'noop', limit: { key: '', concurrent: 0 } },
      { task: 'noop', notify: [{ on: ['failed'] }] },
      { task: 'noop', notify: [{ on: ['failed'], webhook: { url: 'http://a:b@x' } }] },
      { task: 'noop', notify: [{ on: ['failed'], email: { to: 'a@b.example' } }] },
      { task: 'noop', tags: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`t${i}`, ''])) },
      { task: 'noop', name: '' },
      { task: 'noop', name: 'n'.repeat(101) },
      { task: 'noop', params: { result: 'x'.repeat(40_000) } },
      { task: 'noop', unknown: true },
    ]);
  }

  #create(headers?: Record<string, string>): void {
    const more = headers && { headers };
    this.#begin('POST', '/jobs', { body: this.#spec(), makes: this.#jobs++, ...more });
  }

  #repeatedCreate(): void {
    const headers = { 'idempotency-key': `key-${this.#keys++}` };
    const body = this.#spec();
    this.#begin('POST', '/jobs', { body, headers, makes: this.#jobs++ });
    this.#later();
    this.#begin('POST', '/jobs', {
      body: this.#r.chance(0.6) ? body : { task: 'noop', name: 'other' },
      headers,
    });
    if (this.#r.chance(0.2)) this.#send('POST', '/jobs', { body, headers: { 'idempotency-key': 'a b' } });
  }

  #batch(): void {
    const r = this.#r;
    // two jobs of one instant are listed in the order of random ids
    const good = r.int(0, 3);
    const jobs = Array.from({ length: 4 }, (_, i) => (i === good ? this.#spec() : this.#wrongJob()));
    const body = r.chance(0.1) ? { jobs: [] } : { jobs };
    this.#begin('POST', '/jobs/batch', {
      body,
      makes: this.#jobs,
      ...(r.chance(0.3) && { headers: { 'idempotency-key': `key-${this.#keys++}` } }),
    });
    this.#jobs += jobs.length;
  }

  #edit(): void {
    const r = this.#r;
    const job = this.#job();
    const body = r.pick<() => unknown>([
      () => ({ schedule: this.#schedule() ?? { at: this.#own(4) } }),
      () => ({ schedule: this.#schedule() ?? { at: this.#own(4) } }),
      () => this.#policies(),
      () => this.#policies(),
      () => this.#task(),
      () => ({ name: 'renamed', note: 'a better name' }),
      () => ({ tags: { team: 'ops' }, notify: [] }),
      () => ({ limit: null }),
      () => ({ limit: { key: 'db', concurrent: 1 } }),
      () => ({}),
      () => ({ retry: { maxAttempts: 1 } }),
      () => ({ retry: { maxAttempts: 1000 } }),
      () => ({ schedule: { cron: 'x' } }),
      () => ({ schedule: null }),
      () => ({ status: 'paused' }),
      () => ({ task: 'nope' }),
    ])();
    const [match] = job.match(/\d+/) ?? [];
    const headers = r.weighted({ none: 6, own: 2, old: 1, wrong: 0.5 });
    const more = {
      none: {},
      own: { headers: { 'if-match': `«etag:${match}»` } },
      old: { headers: { 'if-match': '"1"' } },
      wrong: { headers: { 'if-match': '3' } },
    };
    this.#send('PATCH', `/jobs/${job}`, { body, ...more[headers] });
  }

  #pauseBody(): unknown {
    const r = this.#r;
    return r.pick<unknown>([
      undefined,
      undefined,
      {},
      { note: 'maintenance' },
      { until: this.#grid(r.int(3, 10)) },
      { until: this.#grid(-10) },
      { until: '2030-01-01T00:00:00Z' },
      { until: 5 },
    ]);
  }

  #run(): void {
    const r = this.#r;
    const body = r.pick<unknown>([
      undefined,
      undefined,
      {},
      { params: { durationMs: 100 } },
      { params: { url: `http://«receiver»/${this.#slot}/ok` } },
      { params: 7 },
    ]);
    const job = this.#job();
    this.#begin('POST', `/jobs/${job}/run`, { body });
    if (r.chance(0.4)) this.#send('POST', `/jobs/${job}/run`, { at: this.#at - EARLIER + 300 });
  }

  #backfill(): void {
    const r = this.#r;
    const body = r.pick<unknown>([
      { from: this.#grid(-12), to: this.#grid(0) },
      { from: this.#grid(-30), to: this.#grid(-1) },
      { from: this.#grid(-2), to: this.#grid(-8) },
      { from: '2000-01-01T00:00:00Z', to: this.#grid(0) },
      { from: 'x', to: 'y' },
    ]);
    this.#begin('POST', `/jobs/${this.#job()}/backfill`, { body });
    this.#operation();
  }

  #operation(): void {
    if (this.#r.chance(0.3)) this.#send('DELETE', '/operations/«op»', { at: this.#at + 500 });
    this.#later(this.#r.int(1, 3));
    this.#send('GET', `/operations/${this.#r.chance(0.85) ? '«op»' : 'op_00000000000000000000'}`);
    if (this.#r.chance(0.15)) this.#send('DELETE', '/operations/op_00000000000000000000');
  }

  #named(): void {
    const r = this.#r;
    const path = `/jobs/by-name/${r.pick(['shop', 'shop', 'mail', '-bad-'])}/${r.pick(['nightly', 'hourly'])}`;
    const action = r.weighted({ put: 6, get: 2, delete: 1.5 });
    const headers = r.weighted({ none: 6, own: 2, old: 1, any: 1 });
    const match = {
      none: undefined,
      own: { 'if-match': '«etag:named»' },
      old: { 'if-match': '"1-job_00000000000000000000"' },
      any: { 'if-match': '*' },
    }[headers];
    if (action === 'get') {
      this.#send('GET', path);
      return;
    }
    if (action === 'delete') {
      this.#send('DELETE', path, { headers: match });
      return;
    }
    const { name: _, ...spec } = this.#spec();
    const schedule = r.chance(0.85)
      ? {
          every: this.#hasRestart ? 'PT1M' : r.pick(['PT10S', 'PT30S']),
          startAt: this.#own(-Math.floor(this.#at / GRID)),
        }
      : (this.#schedule() ?? { in: 'PT5S' });
    const body = {
      ...spec,
      schedule,
      ...(r.chance(0.25) && { paused: r.chance(0.7) }),
      ...(r.chance(0.2) && { note: 'applied' }),
    };
    this.#begin('PUT', `${path}${r.pick(['', '', '', '?dryRun=true'])}`, { body, headers: match });
    if (r.chance(0.4)) {
      this.#later();
      this.#begin('PUT', path, { body });
    }
  }

  #bulk(): void {
    const r = this.#r;
    const operator = r.chance(0.25);
    const filter = r.pick<Json>([
      { tag: 'team:billing' },
      { name: 're' },
      { task: 'noop' },
      { namespace: 'shop' },
      { task: 'http', status: 'paused' },
      {},
    ]);
    const body = {
      action: r.weighted({ pause: 5, resume: 4, cancel: 1, stop: 0.5 }),
      filter: operator ? { ...filter, owner: `user${this.#slot}` } : filter,
      ...(r.chance(0.3) && { all: true }),
      ...(r.chance(0.2) && { until: this.#grid(8) }),
      ...(r.chance(0.3) && { note: 'all of them' }),
    };
    this.#send('POST', `/jobs/bulk${r.pick(['', '', '?dryRun=true', '?dryRun=1'])}`, {
      body,
      ...(operator && { as: 'operator' }),
    });
    this.#operation();
  }

  // ---- reading

  #look(): void {
    const r = this.#r;
    const job = this.#job();
    const path = r.pick(['', '', '', '/changes', '/changes?limit=2', '/changes?limit=0']);
    const headers =
      path === '' && r.chance(0.4) ? { 'if-none-match': `«etag:${/\d+/.exec(job)?.[0]}»` } : undefined;
    this.#send('GET', `/jobs/${job}${path}`, { headers });
    if (!headers) return;
    this.#later();
    this.#send('GET', `/jobs/${job}`, { headers });
  }

  #list(): void {
    const r = this.#r;
    const job = this.#job();
    const path = r.pick([
      '/jobs?limit=2',
      '/jobs?status=active&limit=1',
      '/jobs?task=noop&view=summary',
      '/jobs?view=summary&include=recent',
      '/jobs?tag=team:billing',
      '/jobs?name=re&limit=1',
      '/jobs?namespace=shop',
      `/jobs?owner=user${this.#slot}`,
      '/jobs?owner=somebody',
      '/jobs?status=wrong&limit=500',
      '/jobs?tag=team',
      '/executions?limit=3',
      '/executions?status=succeeded&limit=2',
      '/executions?status=failed',
      '/executions?status=scheduled&limit=2',
      '/executions?status=running',
      '/executions?status=skipped&limit=3',
      `/executions?from=${this.#grid(-8)}&to=${this.#grid(-2)}`,
      '/executions?limit=x',
      '/executions?owner=somebody',
      `/jobs/${job}/executions?limit=3`,
      `/jobs/${job}/executions?status=scheduled&limit=3`,
      `/jobs/${job}/executions?status=succeeded&limit=2`,
      `/jobs/${job}/executions?from=${this.#grid(-10)}&to=${this.#grid(-3)}`,
      `/jobs/${job}/executions?status=late`,
      `/jobs/${job}/changes?limit=1`,
      '/executions/summary',
      `/executions/summary?from=${this.#grid(-12)}&to=${this.#grid(-2)}`,
      '/executions/summary?from=monday',
      '/dead-letters?limit=2',
    ]);
    this.#send('GET', path);
    if (!path.includes('limit=')) return;
    for (let page = r.int(0, 3); page > 0; page--) {
      this.#later();
      this.#send('GET', `${path}&cursor=${r.chance(0.93) ? '«cursor»' : 'broken'}`);
    }
  }

  /** Lists executions, so that «exec» knows some, and does something with one. */
  #execution(): void {
    const r = this.#r;
    const [query, action] = r.pick([
      ['limit=20', ''],
      ['limit=20', '/logs'],
      ['limit=20', '/logs?limit=1000'],
      ['status=scheduled&limit=5', '/cancel'],
      ['status=scheduled&limit=5', '/cancel'],
      ['status=running', '/cancel'],
      ['status=retrying', '/cancel'],
      ['status=queued', '/cancel'],
      ['status=failed', '/retry'],
      ['status=failed', '/retry'],
      ['status=cancelled', '/retry'],
      ['status=skipped', '/retry'],
      ['status=succeeded', '/retry'],
      ['status=succeeded', '/cancel'],
    ]);
    const list = r.chance(0.6) ? `/jobs/${this.#job()}/executions?${query}` : `/executions?${query}`;
    this.#send('GET', list);
    const path = `/executions/${this.#exec()}${action}`;
    if (action === '/retry') {
      this.#later();
      this.#begin('POST', path);
    } else this.#send(action === '/cancel' ? 'POST' : 'GET', path, { at: this.#at + 500 });
    if (r.chance(0.5)) {
      this.#later(r.int(1, 2));
      this.#send('GET', `/executions/${this.#exec()}`);
    }
  }

  #deadLetters(): void {
    const r = this.#r;
    const owner = `owner=user${this.#slot}`;
    const [as, query] = r.pick([
      [undefined, ''],
      [undefined, ''],
      ['operator' as const, owner],
      [undefined, 'owner=somebody'],
    ]);
    this.#send('GET', `/dead-letters/groups?by=${r.pick(['error', 'job', 'error', 'day'])}&${query}`, { as });
    this.#send(
      'GET',
      `/dead-letters?${query}${r.pick(['', '&limit=2', '&errorKey=«errorKey»', `&jobId=${this.#job()}`, '&errorKey=x'])}`,
      { as, at: this.#at + 500 },
    );
    this.#later();
    const action = r.weighted({ redrive: 4, dismiss: 3 });
    const exec = this.#exec();
    const body =
      action === 'dismiss'
        ? r.pick<unknown>([
            { ids: [exec] },
            { ids: [exec, this.#exec()] },
            { ids: [] },
            { ids: ['job_00000000000000000000.1792000000000'] },
          ])
        : r.pick<unknown>([
            { ids: [exec] },
            { jobId: this.#job() },
            { errorKey: '«errorKey»', ...(as && { owner: `user${this.#slot}` }) },
            { ids: [exec], jobId: this.#job() },
            {},
            { jobId: this.#job(), from: this.#grid(-10) },
            { ids: ['job_00000000000000000000.1792000000000'] },
          ]);
    this.#begin('POST', `/dead-letters/${action}`, { body, as });
  }

  #limits(): void {
    const r = this.#r;
    const own = `/limits/user${this.#slot}`;
    if (r.chance(0.5)) {
      const as = r.pick([undefined, 'operator' as const]);
      this.#send('GET', r.pick([own, own, '/limits/somebody']), { as });
      return;
    }
    const body = r.pick<unknown>([
      { activeJobs: 3 },
      { shortestIntervalSeconds: 20 },
      { longestTimeoutSeconds: 30, startsPerMinute: 2 },
      {},
      { activeJobs: -1 },
      { more: 1 },
      { createsPerMinute: 1 },
      { runningExecutions: 1 },
    ]);
    this.#send('PUT', own, { body, as: r.chance(0.8) ? 'operator' : undefined });
    this.#later(2);
    this.#send('GET', own);
    this.#create();
    this.#later(r.int(1, 4));
    if (r.chance(0.7)) this.#send('PUT', own, { body: {}, as: 'operator' });
  }

  #preview(): void {
    const r = this.#r;
    const wrong = this.#wrongJob() as { schedule?: unknown };
    const schedule = r.chance(0.25)
      ? (wrong.schedule ?? 'never')
      : r.chance(0.5)
        ? {
            cron: r.pick([
              '30 2 * * *',
              '15 1 * * *',
              '0 0 29 2 *',
              '*/7 3-5 * * MON#2',
              '0 9 LW * *',
              '*/15 * * * SUN',
            ]),
            timezone: r.pick(ZONES),
            ...(r.chance(0.5) && {
              dst: { gap: r.pick(['skip', 'after']), overlap: r.pick(['once', 'twice']) },
            }),
            ...(r.chance(0.3) && { except: ['2026-10-25', { cron: '* * * 11 *' }] }),
          }
        : this.#schedule();
    this.#send('POST', '/schedules/preview', {
      body: {
        schedule,
        count: r.pick([1, 5, 40, 1_000, 0]),
        ...(r.chance(0.5) && {
          after: r.pick(['2026-10-24T22:00:00Z', '2027-03-27T00:00:00Z', '2028-02-01T00:00:00+02:00', 'x']),
        }),
      },
    });
  }

  // ---- the service, and requests that are refused

  #service(): void {
    const r = this.#r;
    const as = r.pick([undefined, 'operator' as const]);
    const [path, compare] = r.pick<readonly [string, Step['compare']]>([
      ['/tasks', undefined],
      ['/workers', 'status'],
      ['/system', 'shape'],
      ['/forecast', 'shape'],
      ['/stats', 'shape'],
      ['/stats?bucket=year', undefined],
      ['/health', undefined],
      ['/openapi.json', 'status'],
      ['/docs', 'status'],
      ['/docs/nothing.js', 'status'],
      ['/docs/swagger-ui.css', 'status'],
      ['/dead-letters', 'status'],
      ['/executions?workerId=nobody', undefined],
    ]);
    this.#send('GET', path, { as, ...(compare && { compare }) });
  }

  #wrongRequest(): void {
    const r = this.#r;
    const job = this.#job();
    const [method, path, more] = r.pick<readonly [string, string, Partial<Step>]>([
      ['GET', '/nothing', {}],
      ['GET', '/jobs/wrong', {}],
      ['GET', '/jobs/job_00000000000000000000', {}],
      ['PUT', `/jobs/${job}`, { body: {} }],
      ['POST', '/health', {}],
      ['POST', '/openapi.json', {}],
      ['POST', '/docs', {}],
      ['GET', '/jobs', { as: 'nobody' }],
      ['GET', '/tasks', { as: 'nobody' }],
      ['GET', '/tasks', { as: 'forger' }],
      ['POST', '/jobs', { as: 'forger', body: { task: 'noop' } }],
      ['POST', '/jobs', { body: '{"task":', headers: { 'content-type': 'application/json' } }],
      [
        'POST',
        '/jobs',
        { body: 'task=noop', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ],
      [
        'POST',
        '/jobs',
        { body: `"${'x'.repeat(2_000_000)}"`, headers: { 'content-type': 'application/json' } },
      ],
      ['GET', '/jobs?limit=2&limit=3', {}],
      ['GET', '/executions/wrong', {}],
      ['POST', '/executions/job_00000000000000000000.1792000000000/cancel', {}],
      ['POST', '/executions/job_00000000000000000000.1792000000000/retry', {}],
      ['GET', `/executions/«jobid:0».${1_792_000_000_000}`, {}],
      ['POST', `/jobs/${job}/run`, { body: 'x', headers: { 'content-type': 'application/json' } }],
    ]);
    this.#send(method, path, more);
  }

  #stranger(): void {
    const r = this.#r;
    const job = this.#job();
    const [method, path, body] = r.pick<readonly [string, string, unknown]>([
      ['GET', `/jobs/${job}`, undefined],
      ['PATCH', `/jobs/${job}`, { name: 'mine' }],
      ['POST', `/jobs/${job}/pause`, undefined],
      ['POST', `/jobs/${job}/run`, undefined],
      ['DELETE', `/jobs/${job}`, undefined],
      ['GET', `/jobs/${job}/executions`, undefined],
      ['GET', `/jobs/${job}/changes`, undefined],
      ['GET', `/jobs/${job}/explain`, undefined],
      ['POST', `/executions/${this.#exec()}/cancel`, undefined],
      ['GET', `/executions/${this.#exec()}`, undefined],
      ['GET', `/executions/${this.#exec()}/logs`, undefined],
      ['POST', `/jobs/${job}/backfill`, { from: this.#grid(-9), to: this.#grid(0) }],
    ]);
    this.#send(method, path, { body, as: r.chance(0.7) ? 'stranger' : 'operator' });
  }
}
