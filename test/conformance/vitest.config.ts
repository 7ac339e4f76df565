import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: { include: ['test/conformance/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
