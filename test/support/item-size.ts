// An item's size as DynamoDB counts it for billing: names and values in UTF-8 bytes, numbers about one byte per two
// digits, 3 bytes for a list or map and 1 for each of its elements.

const bytes = (text: string): number => Buffer.byteLength(text);

function valueSize(value: unknown): number {
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return bytes(value);
  if (typeof value === 'number') return numberSize(value);
  if (Array.isArray(value)) return 3 + value.reduce((sum: number, item) => sum + 1 + valueSize(item), 0);
  if (typeof value === 'object') return 3 + fieldsSize(value, 1);
  return 0;
}

/** Leading and trailing zeros do not count. */
function numberSize(value: number): number {
  const digits = String(Math.abs(value))
    .replace('.', '')
    .replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (value < 0 ? 1 : 0);
}

const fieldsSize = (item: object, perField: number): number =>
  Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + perField + bytes(name) + valueSize(value), 0);

export const itemSize = (item: object): number => fieldsSize(item, 0);
