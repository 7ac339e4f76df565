// Calls that come at about the same time go as one request; each caller awaits its own and never sees the others.
//
// A call that comes alone goes at the end of the event loop's turn, so who is idle is as quick as without groups. While
// `atOnce` requests are under way those that come collect, and go when one has ended: the busier, the larger the groups.

export interface BatcherOptions<Call> {
  /** Calls in one request. */
  readonly most: number;
  /** Requests under way, not counting those that stall. */
  readonly atOnce: number;
  /** A request without an answer for this long stalls: the others do not wait for it. */
  readonly stallMs: number;
  /** The first of a group waits so long for company; absent: to the end of the event loop's turn. */
  readonly lingerMs?: number;
  /** No two calls of one request have the same: the second waits for the next one. Absent: any may go together. */
  keyOf?(call: Call): string;
}

/** Sends 1 to `most` calls; answers each, in their order. A rejection is the answer to all. */
export type SendBatch<Call, Answer> = (calls: readonly Call[]) => Promise<PromiseSettledResult<Answer>[]>;

interface Waiting<Call, Answer> {
  readonly call: Call;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export function createBatcher<Call, Answer>(
  { most, atOnce, stallMs, lingerMs, keyOf }: BatcherOptions<Call>,
  send: SendBatch<Call, Answer>,
): (call: Call) => Promise<Answer> {
  let waiting: Waiting<Call, Answer>[] = [];
  let underWay = 0;
  let flushes = false;

  function flushSoon(): void {
    if (flushes) return;
    flushes = true;
    if (lingerMs === undefined) setImmediate(flush);
    else setTimeout(flush, lingerMs);
  }

  function flush(): void {
    flushes = false;
    while (waiting.length > 0 && underWay < atOnce) void go(nextGroup());
  }

  function nextGroup(): Waiting<Call, Answer>[] {
    if (!keyOf) return waiting.splice(0, most);
    const group = new Map<string, Waiting<Call, Answer>>();
    const sameKey: Waiting<Call, Answer>[] = [];
    let next = 0;
    for (; next < waiting.length && group.size < most; next++) {
      const one = waiting[next] as Waiting<Call, Answer>;
      const key = keyOf(one.call);
      if (group.has(key)) sameKey.push(one);
      else group.set(key, one);
    }
    waiting = [...sameKey, ...waiting.slice(next)];
    return [...group.values()];
  }

  async function go(group: Waiting<Call, Answer>[]): Promise<void> {
    underWay++;
    let counts = true;
    const leave = () => {
      if (counts) underWay--;
      counts = false;
      if (waiting.length > 0) flushSoon();
    };
    const stalled = setTimeout(leave, stallMs);
    try {
      const answers = await send(group.map(({ call }) => call));
      for (const [i, { resolve, reject }] of group.entries()) {
        const answer = answers[i];
        if (answer?.status === 'fulfilled') resolve(answer.value);
        else reject(answer?.reason ?? new Error('the request answered fewer calls than it was given'));
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      clearTimeout(stalled);
      leave();
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      flushSoon();
    });
}
