// The filter of a list: tokens of the filter bar and parameters of the address are the same thing.
export interface FilterProperty {
  /** The parameter of the address, which is that of the API. */
  readonly key: string;
  readonly label: string;
  /** `:` is "contains" for people, and stands for the prefixes of the API with `^`. */
  readonly operator: '=' | '^';
  readonly values?: readonly string[];
  /** True if a text without a property is meant for this one. */
  readonly forFreeText?: boolean;
}

export interface FilterToken {
  readonly propertyKey?: string | undefined;
  readonly operator: string;
  readonly value: string;
}

export type Filter = Readonly<Record<string, string>>;

export const filterOf = (params: URLSearchParams, properties: readonly FilterProperty[]): Filter =>
  Object.fromEntries(
    properties.flatMap(({ key }) => {
      const value = params.get(key);
      return value ? [[key, value]] : [];
    }),
  );

export const tokensOf = (filter: Filter, properties: readonly FilterProperty[]): FilterToken[] =>
  properties.flatMap(({ key, operator }) => {
    const value = filter[key];
    return value === undefined ? [] : [{ propertyKey: key, operator, value }];
  });

/** The API has one value per property, so the last token of a property wins. Empty values are left out. */
export function filterOfTokens(
  tokens: readonly FilterToken[],
  properties: readonly FilterProperty[],
): Filter {
  const freeText = properties.find(({ forFreeText }) => forFreeText)?.key;
  return Object.fromEntries(
    tokens.flatMap(({ propertyKey = freeText, value }) => {
      const trimmed = value.trim();
      return propertyKey === undefined || trimmed === '' ? [] : [[propertyKey, trimmed]];
    }),
  );
}

/** The address with another filter. Other parameters, such as the zone, stay. */
export function withFilter(
  params: URLSearchParams,
  filter: Filter,
  properties: readonly FilterProperty[],
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const { key } of properties) next.delete(key);
  for (const [key, value] of Object.entries(filter)) next.set(key, value);
  return next;
}
