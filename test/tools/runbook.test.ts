// The runbook quotes log messages, titles of the dashboard and settings. They must exist, or people search for nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const runbook = readFileSync('docs/runbook.md', 'utf8');
const dashboard = readFileSync('lib/operations/dashboard.ts', 'utf8');

const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join('src', file), 'utf8'))
  .join('\n');

it('quotes log messages that the code writes', () => {
  const messages = [...runbook.matchAll(/log message\s+`([^`]+)`/g)].map(([, message = '']) => message);
  expect(messages.length).toBeGreaterThan(4);
  expect(messages.filter((message) => !source.includes(`'${message}'`))).toEqual([]);
});

it('names graphs and metrics that exist', () => {
  const names = [...runbook.matchAll(/(?<![*\w])\*([A-Z][^*\n]+)\*(?!\*)/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(4);
  const metricsOfAws = ['Errors', 'Throttles', 'ThrottledRequests'];
  const missing = names.filter((name) => !dashboard.includes(`'${name}`) && !metricsOfAws.includes(name));
  expect(missing).toEqual([]);
});
