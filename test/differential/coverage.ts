// What the sequences reached: routes with their statuses, and the policies and outcomes of what ran.
import { routeOf } from './compare.ts';
import type { Sequence } from './sequences.ts';
import type { Outcome } from './side.ts';

/** Open to everybody, and without anything in the request that could be wrong. Another method is refused by the path. */
const WITHOUT_REFUSAL = new Set(['GET /health', 'GET /openapi.json', 'GET /docs']);

export class Coverage {
  readonly #routes = new Map<string, Map<number, number>>();
  readonly #seen = new Map<string, Map<string, number>>();
  #contract: readonly string[] = [];

  add(_: Sequence, index: number, { answers, routes, calls }: Outcome): void {
    this.#contract = routes;
    for (const { method, path, status, body, sent } of answers[index] ?? []) {
      const statuses = this.#routes.get(routeOf(method, path)) ?? new Map<number, number>();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      this.#routes.set(routeOf(method, path), statuses);
      if (status === 201 && typeof sent === 'object') this.#job(sent as Record<string, never>);
      const { items } = (body ?? {}) as { items?: Record<string, string>[] };
      if (Array.isArray(items) && path.startsWith('/executions?'))
        for (const { status: outcome, trigger, reason, attempt } of items) {
          this.#count('execution', `${outcome}`);
          this.#count('trigger', `${trigger}`);
          if (reason !== undefined)
            this.#count('reason', reason.replaceAll(/job_\w+(\.[\d\w-]+)?|\d{4}-\S+|\d+/g, '…').slice(0, 60));
          if (Number(attempt) > 1) this.#count('execution', 'retried');
        }
    }
    if (index === 0)
      for (const list of Object.values(calls))
        for (const call of list)
          this.#count(
            'call',
            (call as { headers: Record<string, string> }).headers['punctual-event'] ?? 'task',
          );
  }

  #job({ overlap, misfire, limit, retry, schedule, task, notify, tags }: Record<string, never>): void {
    const { policy, graceSeconds } = (misfire ?? {}) as Record<string, unknown>;
    this.#count('overlap', `${overlap ?? 'default'}`);
    this.#count('misfire', `${policy ?? 'default'} ${graceSeconds ?? ''}`);
    this.#count('retry', `${(retry as { maxAttempts?: number } | undefined)?.maxAttempts ?? 'default'}`);
    this.#count('task', `${task}`);
    for (const [key, value] of Object.entries((schedule ?? { none: true }) as Record<string, unknown>))
      this.#count('schedule', key === 'timezone' || key === 'dst' ? `${key} ${JSON.stringify(value)}` : key);
    for (const [key, value] of Object.entries({ limit, notify, tags }))
      if (value !== undefined) this.#count('with', key);
  }

  #count(kind: string, value: string): void {
    const values = this.#seen.get(kind) ?? new Map<string, number>();
    values.set(value, (values.get(value) ?? 0) + 1);
    this.#seen.set(kind, values);
  }

  /** Operations of the contract without a success or without a refusal. */
  missing(): string[] {
    return this.#contract.flatMap((route) => {
      const statuses = [...(this.#routes.get(route)?.keys() ?? [])];
      return [
        ...(statuses.some((status) => status < 300) ? [] : [`${route} without a success`]),
        ...(statuses.some((status) => status >= 400) || WITHOUT_REFUSAL.has(route)
          ? []
          : [`${route} without a refusal`]),
      ];
    });
  }

  text(): string {
    const list = (counts: Map<unknown, number>) =>
      [...counts]
        .sort()
        .map(([value, times]) => `${value} (${times})`)
        .join(', ');
    return [
      ...[...this.#routes].sort().map(([route, statuses]) => `  ${route}: ${list(statuses)}`),
      ...[...this.#seen].map(([kind, values]) => `  ${kind}: ${list(values)}`),
    ].join('\n');
  }
}
