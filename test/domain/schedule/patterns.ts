// Arbitrary cron patterns for the property tests.
import fc from 'fast-check';

const number = (from: number, to: number) => fc.integer({ min: from, max: to });

/** A term such as `5`, `5-20`, `5-20/3`, `5/3` or `*`/3, written in canonical numbers. */
const term = (from: number, to: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: number(from, to).map(String) },
    { weight: 2, arbitrary: fc.tuple(number(from, to), number(from, to)).map(range) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(number(from, to), number(from, to), number(1, 7))
        .map(([a, b, s]) => `${range([a, b])}/${s}`),
    },
    { weight: 1, arbitrary: fc.tuple(number(from, to), number(1, 7)).map(([a, s]) => `${a}/${s}`) },
    { weight: 1, arbitrary: number(1, 7).map((s) => `*/${s}`) },
  );

const range = ([a, b]: [number, number]): string => `${Math.min(a, b)}-${Math.max(a, b)}`;

const listOf = (one: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(one, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));

export const field = (from: number, to: number): fc.Arbitrary<string> =>
  fc.oneof(fc.constant('*'), number(from, to).map(String), listOf(term(from, to)));

export const plainDay = field(1, 31);
export const plainWeekday = field(0, 6);
/** 7 is Sunday too. */
const weekdayRange = fc.oneof(
  fc.integer({ min: 0, max: 7 }).map((from) => `${from}-7`),
  fc.constant('7'),
);

export const dayField = fc.oneof(
  plainDay,
  listOf(
    fc.oneof(
      fc.constantFrom('L', 'LW'),
      number(1, 30).map((n) => `L-${n}`),
      number(1, 31).map((d) => `${d}W`),
      term(1, 31),
    ),
  ),
);

/** What other libraries take for a restriction and we for `*`. */
export const withoutStepOne = (field: string): string => (field.split(',').includes('*/1') ? '*' : field);

export const weekdayField = fc.oneof(
  plainWeekday,
  listOf(
    fc.oneof(
      fc.tuple(number(0, 6), number(1, 5)).map(([w, n]) => `${w}#${n}`),
      number(0, 6).map((w) => `${w}L`),
      term(0, 6),
      weekdayRange,
    ),
  ),
);

/** The hours and minutes around which clocks jump are drawn more often than others. */
export const timeFields = fc.oneof(
  fc.tuple(field(0, 59), field(0, 23)),
  fc.tuple(
    fc.constantFrom('0', '15', '30', '59', '*/15', '0,30'),
    fc.constantFrom('0', '1', '2', '3', '23', '0-3', '1,13', '2,14', '0,23', '*'),
  ),
);
