// The licences of the packages whose code users get with ours.
import { expect, it } from 'vitest';
import { noticesOf } from '../../tools/build/notices.ts';

const textOf = (...files: string[]): string => {
  const notices = [...noticesOf(files)];
  expect(notices).toHaveLength(1);
  return notices[0]?.[0] ?? '';
};

it('a package has its licence and its notice, which Apache-2.0 wants to be passed on', () => {
  const text = textOf('node_modules/@cloudscape-design/components/button/index.js');
  expect(text).toMatch(/Apache License\s+Version 2\.0/);
  expect(text).toContain('Copyright Amazon.com, Inc. or its affiliates');
});

it('a file that is a bundle has the licences of its parts', () => {
  const css = textOf('node_modules/swagger-ui-dist/swagger-ui.css');
  expect(css).toContain('SmartBear Software');
  expect(css).not.toContain('Jed Watson');
  expect(textOf('node_modules/swagger-ui-dist/swagger-ui-bundle.js')).toContain('Jed Watson');
});

it('packages with the same text share it, and files of the repository have none', () => {
  const files = ['src/a.ts', 'node_modules/zod/a.js', 'node_modules/zod/b.js', 'node_modules/yaml/dist/a.js'];
  expect([...noticesOf(files).values()].flat()).toEqual([
    expect.stringMatching(/^yaml .* \(ISC\)$/),
    expect.stringMatching(/^zod .* \(MIT\)$/),
  ]);
});
