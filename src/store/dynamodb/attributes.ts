// Items between plain values and DynamoDB's attributes. Most of ours are texts and numbers; whatever else comes is the
// SDK's to convert. (Its DynamoDBDocumentClient does the same for whole inputs and outputs: it walks and copies all of them,
// twice the CPU.)
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import type { Item } from '../items.ts';

export type Attributes = Record<string, AttributeValue>;

export const toAttribute = (value: unknown): AttributeValue =>
  typeof value === 'string'
    ? { S: value }
    : convertToAttr(value as NativeAttributeValue, { removeUndefinedValues: true });

/** `undefined` is left out. */
export function toAttributes(item: Item): Attributes {
  const attributes: Attributes = {};
  for (const name in item) if (item[name] !== undefined) attributes[name] = toAttribute(item[name]);
  return attributes;
}

export function fromAttributes(attributes: Attributes): Item {
  const item: Item = {};
  for (const name in attributes) {
    const attribute = attributes[name] as AttributeValue;
    item[name] = attribute.S ?? convertToNative(attribute);
  }
  return item;
}

const ITEMS = ['Item', 'Key', 'ExpressionAttributeValues', 'ExclusiveStartKey'] as const;
type Given = 'TableName' | 'ReturnConsumedCapacity';
/** An input of the SDK with plain items, and without what is the same for every call. */
export type Plain<Input> = {
  [Name in keyof Omit<Input, Given>]: Name extends (typeof ITEMS)[number] ? Item : Input[Name];
};

export function inAttributes<Input>(input: Plain<Input>): Omit<Input, Given> {
  const plain = input as Partial<Record<(typeof ITEMS)[number], Item>>;
  const items = ITEMS.flatMap((name) => (plain[name] ? [[name, toAttributes(plain[name])]] : []));
  return { ...input, ...Object.fromEntries(items) } as unknown as Omit<Input, Given>;
}
