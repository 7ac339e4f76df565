// Mutations and the markers of rules in the source belong together.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { markedRules, putsOf, takeOut } from './mutate.ts';
import { MUTATIONS } from './mutations.ts';

const marked = markedRules();

describe('the mutations', () => {
  it('are at most 50, each with a name of its own', () => {
    expect(MUTATIONS.length).toBeLessThanOrEqual(50);
    expect(new Set(MUTATIONS.map(({ rule }) => rule)).size).toBe(MUTATIONS.length);
  });

  it('take out every marked rule, and no other', () => {
    const taken = new Set(MUTATIONS.flatMap((mutation) => [...putsOf(mutation).keys()]));
    expect([...taken].sort()).toEqual([...marked.keys()].sort());
  });

  it('find each rule in one place, and change it', () => {
    for (const mutation of MUTATIONS) {
      for (const [rule, put] of putsOf(mutation)) {
        const files = marked.get(rule) ?? [];
        expect(files, rule).toHaveLength(1);
        const text = readFileSync(files[0] ?? '', 'utf8');
        expect(takeOut(text, rule, put), rule).not.toBe(text);
      }
    }
  });
});

describe('what a marker marks', () => {
  it.each([
    ['/* [rule x] */ a?.b(c && d) === e && f', 'true && f', '/* [rule x] */ '],
    ['if (/* [rule x] */ a ?? b) return;', 'if (true) return;', '/* [rule x] */ '],
    ['return /* [rule x] */ a ? b : c;', 'return true ? b : c;', '/* [rule x] */ '],
    ["max(/* [rule x] */ f('),', g[1]),\n  2)", 'max(true,\n  2)', '/* [rule x] */ '],
    ['const y =\n  /* [rule x] */ a +\n  b;', 'const y =\n  true;', '/* [rule x] */ '],
  ])('an operand: %s', (text, without, marker) => {
    expect(takeOut(text, 'x').replace(marker, '')).toBe(without);
  });

  it.each([
    ['await a({ b: 1 });\nc();', ';\nc();'],
    ['if (a) {\n  b();\n} else {\n  c();\n}\nd();', ';\nd();'],
    ['const { a } = b;\nc();', ';\nc();'],
    ['if (`a;` === b) return c;\nd();', ';\nd();'],
  ])('a statement: %s', (text, without) => {
    expect(takeOut(`// [rule x] why\n${text}`, 'x')).toBe(`// [rule x] why\n${without}`);
  });

  it('puts another text there, which may contain the rule', () => {
    expect(takeOut('f(/* [rule x] */ a, b)', 'x', '!($&)')).toBe('f(/* [rule x] */ !(a), b)');
  });

  it('fails without a marker, and with one that marks nothing', () => {
    expect(() => takeOut('a', 'x')).toThrow('there is no [rule x]');
    expect(() => takeOut('f(/* [rule x] */)', 'x')).toThrow('[rule x] marks nothing');
  });
});
