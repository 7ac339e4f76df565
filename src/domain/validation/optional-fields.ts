// The fields of a schema, optional and without defaults, for edits. An absent field keeps its value.
import { z } from 'zod';

type WithoutDefault<Schema> = Schema extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner>
  ? Inner
  : Schema;

type Optional<Schema> =
  WithoutDefault<Schema> extends infer Bare extends z.ZodType ? z.ZodOptional<Bare> : never;

export type OptionalFields<Shape extends z.ZodRawShape> = { [Field in keyof Shape]: Optional<Shape[Field]> };

/** zod's `partial()` keeps the defaults, so an edit of the name would reset the policies. */
export function optionalFields<Shape extends z.ZodRawShape>(shape: Shape): OptionalFields<Shape> {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const bare = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
    return [name, z.optional(bare)];
  });
  return Object.fromEntries(fields) as OptionalFields<Shape>;
}
