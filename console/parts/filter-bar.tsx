// The filter bar of a list, bound to the address.
import PropertyFilter from '@cloudscape-design/components/property-filter';
import { useSearchParams } from 'wouter';
import { type FilterProperty, filterOf, filterOfTokens, tokensOf, withFilter } from './filter-tokens.ts';

interface FilterBarProps {
  readonly properties: readonly FilterProperty[];
  readonly placeholder: string;
  /** Such as "12 jobs" or "100+ jobs". */
  readonly countText?: string;
}

export function FilterBar({ properties, placeholder, countText }: FilterBarProps) {
  const [params, setParams] = useSearchParams();
  const tokens = tokensOf(filterOf(params, properties), properties);
  return (
    <PropertyFilter
      query={{ tokens, operation: 'and' }}
      onChange={({ detail }) =>
        setParams(withFilter(params, filterOfTokens(detail.tokens, properties), properties))
      }
      filteringProperties={properties.map(({ key, label, operator }) => ({
        key,
        propertyLabel: label,
        groupValuesLabel: `${label} values`,
        operators: [operator],
        defaultOperator: operator,
      }))}
      filteringOptions={properties.flatMap(({ key, values = [] }) =>
        values.map((value) => ({ propertyKey: key, value })),
      )}
      disableFreeTextFiltering={!properties.some(({ forFreeText }) => forFreeText)}
      freeTextFiltering={{ operators: ['^'], defaultOperator: '^' }}
      filteringAriaLabel={placeholder}
      filteringPlaceholder={placeholder}
      countText={countText}
      hideOperations
      expandToViewport
    />
  );
}
