// The choice of operators: the dead letters of all users, or of one.
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import { useSearchParams } from 'wouter';

export function OwnerChoice() {
  const [params, setParams] = useSearchParams();
  const [text, setText] = useState(params.get('owner') ?? '');
  const apply = (owner: string) =>
    setParams((old) => {
      if (owner === '') old.delete('owner');
      else old.set('owner', owner);
      return old;
    });
  return (
    <Input
      type="search"
      ariaLabel="Owner"
      placeholder="Owner (all users)"
      clearAriaLabel="All users"
      value={text}
      onChange={({ detail }) => {
        setText(detail.value);
        if (detail.value === '') apply('');
      }}
      onKeyDown={({ detail }) => detail.key === 'Enter' && apply(text.trim())}
      onBlur={() => apply(text.trim())}
    />
  );
}
