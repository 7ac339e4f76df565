// The list of the suites that are skipped without dynoxide.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AWS_PATH_SUITES } from '../support/aws-path-suites.ts';

it('has every suite that starts dynoxide', () => {
  const starts = globSync('test/**/*.test.ts').filter((file) =>
    /^import .*\bstartDynoxide\b/m.test(readFileSync(file, 'utf8')),
  );
  expect(starts.length).toBeGreaterThan(10);
  expect(starts.filter((file) => !AWS_PATH_SUITES.includes(file))).toEqual([]);
});

it('has only files that exist', () => {
  expect(AWS_PATH_SUITES.filter((file) => !existsSync(file))).toEqual([]);
});
