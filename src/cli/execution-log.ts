// Prints the log lines of one execution, and with --follow also the coming ones.

import type { LogLine, PunctualClient } from '../client/client.ts';
import { wallClock } from '../client/clock.ts';
import { withoutControls } from '../domain/terminal-text.ts';
import type { Cli } from './command.ts';

/** The API's maximum page size. */
const PAGE = 100;
const POLL_MS = 1000;

export async function printLog(cli: Cli, client: PunctualClient, id: string, follow: boolean): Promise<void> {
  const { signal } = cli;
  let printed = 0;
  let cursor: string | undefined;
  for (;;) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor, complete } = await client.executions.logs(id, query, { signal });
    for (const line of items) cli.out(cli.json ? JSON.stringify(line) : lineText(line));
    printed += items.length;
    cursor = nextCursor ?? items.at(-1)?.id ?? cursor;
    if (nextCursor !== undefined) continue;
    if (complete || !follow) break;
    await wallClock.sleep(POLL_MS, signal);
  }
  if (printed === 0 && !cli.json) cli.err('no log lines');
}

function lineText({ at, level, message, attempt, fields }: LogLine): string {
  const parts = [at, level.toUpperCase().padEnd(5), message];
  if (attempt > 1) parts.push(`attempt ${attempt}`);
  if (fields) parts.push(JSON.stringify(fields));
  return withoutControls(parts.join('  '));
}
