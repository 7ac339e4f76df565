// A schema of a map with a maximum number of entries.
import { z } from 'zod';

interface BoundedDef extends z.core.$ZodRecordDef {
  readonly max: number;
  readonly noun: string;
}

/** A class of its own, because zod copies a schema by its class and definition when it gets a description or a check. */
const BoundedRecord = z.core.$constructor<z.ZodRecord, BoundedDef>('BoundedRecord', (inst, def) => {
  z.ZodRecord.init(inst, def);
  const parseEntries = inst._zod.parse;
  inst._zod.parse = (payload, context) => {
    const input: unknown = payload.value;
    const count = input !== null && typeof input === 'object' ? Object.keys(input).length : 0;
    if (count <= def.max) return parseEntries(payload, context);
    const message = `must have at most ${def.max} ${def.noun}, got ${count}`;
    payload.issues.push({ code: 'custom', message, input, inst });
    return payload;
  };
});

/**
 * More entries than `max` are one error, and none of them is checked. zod's `record` checks every entry, and a body has space for
 * 30,000. `noun` is the plural for an entry.
 */
export const boundedRecord = <Key extends z.ZodType<string, string>, Value extends z.ZodType>(
  keyType: Key,
  valueType: Value,
  max: number,
  noun: string,
): z.ZodRecord<Key, Value> =>
  new BoundedRecord({ type: 'record', keyType, valueType, max, noun }).meta({
    maxProperties: max,
  }) as unknown as z.ZodRecord<Key, Value>;
