// The diagrams in the documents are made from the code: `npm run docs` writes them.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stateDiagram } from '../../tools/docs/state-diagrams.ts';
import { DOCUMENTS, withGenerated } from '../../tools/docs.ts';

it.each(DOCUMENTS)('%s has the diagrams that npm run docs writes', async (document) => {
  const text = readFileSync(document, 'utf8');
  expect(text).toContain('<!-- generated: ');
  expect(await withGenerated(text)).toBe(text);
});

it('refuses a transition without a cause, and a cause without its transition', () => {
  expect(() => stateDiagram({ absent: ['A'], A: [] }, {})).toThrow('from absent to A has no cause');
  expect(() => stateDiagram({ absent: [] }, { 'absent A': 'x' })).toThrow('no such transitions: absent A');
  expect(stateDiagram({ absent: ['A'], A: [] }, { 'absent A': 'x' })).toContain('[*] --> A: x');
});

it('refuses a marker that names no generated part', async () => {
  const text = '<!-- generated: nothing (npm run docs) -->\n<!-- end of generated -->';
  await expect(withGenerated(text)).rejects.toThrow('"nothing" is not a generated part');
});
