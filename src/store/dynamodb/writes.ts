// Conditional writes of one item as plain data, and the two forms in which DynamoDB takes them: alone, as an expression,
// and in a batch, as a PartiQL statement. Both say the same.
import type { PutCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../items.ts';

/** If absent. */
export interface Insert {
  readonly key: Item;
  readonly item: Item;
}

/** Where it exists and all of `where` is equal. A key of `change` with the value `undefined` is removed. */
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

/** No name stands in the expression itself: `hold`, `name`, `status` and others are reserved words. */
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

/** A statement can only set: engines do not agree on how several attributes are removed. */
export const canBeStatement = ({ change }: Change): boolean => absent(change).length === 0;

/** One SET with commas: DynamoDB takes several too, but not every engine does. */
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
