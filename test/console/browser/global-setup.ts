// Runs once before the browser tests: unpacks Chromium and builds the console, so that no test waits for them.
import { resolve } from 'node:path';
import { buildConsole, cachedBuild, sourceKey } from '../../../src/local/console-build.ts';
import { unpackChromium } from './chromium.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export async function setup(): Promise<void> {
  unpackChromium();
  const key = await sourceKey(ROOT);
  if ((await cachedBuild(ROOT, key)) === undefined) await buildConsole(ROOT, key);
}
