import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PEERS_HOME = process.env.PEERS_HOME ?? join(tmpdir(), 'punctual-peers');

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const packageVersion = (name) =>
  JSON.parse(readFileSync(`${PEERS_HOME}/node_modules/${name}/package.json`, 'utf8')).version;

export function* chunk(items, size) {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}

/** Runs `action` on the items, `limit` at a time. Returns how many were started before `deadline`. */
export async function eachConcurrently(items, limit, action, deadline = Infinity) {
  let next = 0;
  const lane = async () => {
    while (next < items.length && Date.now() < deadline) await action(items[next++]);
  };
  await Promise.all(Array.from({ length: limit }, lane));
  return next;
}

/** The lateness of the first start of each expected job, in ms. `starts` is a list of { id, due, at }. */
export function lateness(starts, expected) {
  const first = new Map();
  for (const start of starts) {
    const key = `${start.id}@${start.due}`;
    if (!(first.get(key)?.at <= start.at)) first.set(key, start);
  }
  const late = [...first.values()].map(({ at, due }) => at - due).sort((a, b) => a - b);
  const rank = (p) => late[Math.max(0, Math.ceil(late.length * p) - 1)] ?? null;
  return {
    expected,
    started: first.size,
    missing: expected - first.size,
    duplicates: starts.length - first.size,
    early: late.filter((ms) => ms < 0).length,
    p50: rank(0.5),
    p90: rank(0.9),
    p99: rank(0.99),
    max: rank(1),
  };
}
