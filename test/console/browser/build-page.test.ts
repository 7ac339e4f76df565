// The page of a console that is being built, in a real browser: it reloads by itself and keeps the token of the address.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtFile } from '../../../src/api/http/static-file.ts';
import { type ConsoleState, createConsole } from '../../../src/console/handler.ts';
import { eventOf } from '../../support/api-events.ts';
import { launchChromium } from './chromium.ts';

const READY = '<!doctype html><title>Ready</title><h1>Ready</h1>';

let browser: Browser;
let server: Server;
let state: ConsoleState = { kind: 'building' };
let requests = 0;

beforeAll(async () => {
  browser = await launchChromium();
  const handler = createConsole({
    config: { auth: { kind: 'local' }, operatorsGroup: 'ops', version: '0.0.0' },
    state: async () => state,
  });
  server = createServer(async (request, response) => {
    requests++;
    const {
      statusCode = 200,
      headers = {},
      body = '',
      isBase64Encoded,
    } = await handler(eventOf('GET', request.url ?? '/', { user: null }));
    response.writeHead(statusCode, headers as Record<string, string>);
    response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
  }).listen(0, '127.0.0.1');
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

it('reloads until the console is built or its error is shown, and keeps the fragment', async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  // The browser itself reports the statuses 500 and 503.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 50[03]/.test(message.text())) problems.push(message.text());
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/console/jobs#token=abc`;
  await page.goto(address);
  await page.getByRole('heading', { name: 'Building the console' }).waitFor();
  await expect.poll(() => requests, { timeout: 30_000 }).toBeGreaterThan(2);
  state = { kind: 'failed', error: 'main.tsx:1: <wrong>' };
  await page.getByText('main.tsx:1: <wrong>').waitFor();
  const file = builtFile('text/html; charset=utf-8', Buffer.from(READY), undefined);
  state = { kind: 'ready', files: { page: file, assets: new Map() } };
  await page.getByRole('heading', { name: 'Ready' }).waitFor();
  expect(page.url()).toBe(address);
  expect(problems).toEqual([]);
});
