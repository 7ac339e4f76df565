// Conditional writes of one item as plain data, and their two equivalent forms: an expression for a single request, and a
// PartiQL statement for a batch.
import type { PutCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../items.ts';

/** An insert. It is refused if the item exists. */
export interface Insert {
  readonly key: Item;
  readonly item: Item;
}

/** An update. Refused if the item differs from `where` or does not exist. A field of `change` that is undefined is removed. */
export interface Change {
  readonly key: Item;
  readonly change: Item;
  readonly where: Item;
}

export interface Statement {
  readonly Statement: string;
  readonly Parameters: unknown[];
}

const present = (item: Item): string[] => Object.keys(item).filter((name) => item[name] !== undefined);
const absent = (item: Item): string[] => Object.keys(item).filter((name) => item[name] === undefined);

export const asPut = ({ key, item }: Insert): Omit<PutCommandInput, 'TableName'> => ({
  Item: item,
  ConditionExpression: `attribute_not_exists(${Object.keys(key)[0]})`,
});

/** All names are placeholders, because `hold`, `name`, `status` and others are reserved words. */
export function asUpdate({ key, change, where }: Change): Omit<UpdateCommandInput, 'TableName'> {
  const set = present(change).map((name) => `#${name} = :${name}`);
  const remove = absent(change).map((name) => `#${name}`);
  const names = [...Object.keys(change), ...Object.keys(where)];
  return {
    Key: key,
    UpdateExpression: `SET ${set.join(', ')}${remove.length > 0 ? ` REMOVE ${remove.join(', ')}` : ''}`,
    ConditionExpression: Object.keys(where)
      .map((name) => `#${name} = :seen_${name}`)
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(present(change).map((name) => [`:${name}`, change[name]])),
      ...Object.fromEntries(Object.entries(where).map(([name, value]) => [`:seen_${name}`, value])),
    },
  };
}

export function asInsertStatement(table: string, { item }: Insert): Statement {
  const names = present(item);
  return {
    Statement: `INSERT INTO "${table}" VALUE {${names.map((name) => `'${name}': ?`).join(', ')}}`,
    Parameters: names.map((name) => item[name]),
  };
}

/** False if the change removes attributes. Engines differ in how a statement removes several. */
export const canBeStatement = ({ change }: Change): boolean => absent(change).length === 0;

/** One SET with commas. DynamoDB also accepts several SETs, but not every engine does. */
export function asUpdateStatement(table: string, { key, change, where }: Change): Statement {
  const conditions = { ...key, ...where };
  const equals = (item: Item, between: string) =>
    Object.keys(item)
      .map((name) => `"${name}" = ?`)
      .join(between);
  return {
    Statement: `UPDATE "${table}" SET ${equals(change, ', ')} WHERE ${equals(conditions, ' AND ')}`,
    Parameters: [...Object.values(change), ...Object.values(conditions)],
  };
}
