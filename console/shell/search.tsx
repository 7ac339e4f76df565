// The search of the top bar: jobs as you type, and the page of any id.
import Autosuggest, { type AutosuggestProps } from '@cloudscape-design/components/autosuggest';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../api/api.ts';
import { keys } from '../api/keys.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { startOperation } from '../tray/tray.ts';
import { type Target, targetOf } from './search-targets.ts';

const MAX_FOUND = 8;

export function Search() {
  const api = useApi();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const field = useRef<AutosuggestProps.Ref>(null);
  const prefix = useDeferredValue(text.trim());
  const target = targetOf(text);
  const found = useQuery({
    queryKey: keys.search(prefix),
    queryFn: ({ signal }) => api.jobs.summaries({ name: prefix, limit: MAX_FOUND }, { signal }).page(),
    enabled: prefix !== '' && !target,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });
  const focus = () => field.current?.focus();
  useShortcuts([
    { keys: 'Mod+k', what: 'Search', group: 'Everywhere', run: focus },
    { keys: '/', what: 'Search', group: 'Everywhere', run: focus },
  ]);
  const options: AutosuggestProps.Option[] = target
    ? [{ value: target.id, label: target.id, description: `Go to the ${target.kind}` }]
    : (found.data?.items ?? []).map(({ id, name, task, status }) => ({
        value: `/jobs/${id}`,
        label: name ?? id,
        description: `${task}, ${status}`,
      }));
  /** Leaves the field, so that the keys of the next page work. */
  const leave = () => {
    setText('');
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  const open = (path: string) => {
    leave();
    navigate(path);
  };
  // Enter on the option of a target is both a key and a choice.
  const isOpened = useRef(false);
  const openTarget = ({ id, kind, path }: Target) => {
    if (isOpened.current) return;
    isOpened.current = true;
    if (path !== undefined) return open(path);
    leave();
    void startOperation({ title: `The ${kind} ${id}`, api, begin: async () => id, after: () => {} });
  };
  return (
    <Autosuggest
      ref={field}
      value={text}
      onChange={({ detail }) => {
        // A choice puts the value of the option into the field, which is a path.
        if (options.some(({ value }) => value === detail.value)) return;
        isOpened.current = false;
        setText(detail.value);
      }}
      onKeyDown={({ detail }) => {
        if (detail.key === 'Enter' && target) openTarget(target);
      }}
      onSelect={({ detail }) => {
        const chosen = detail.selectedOption?.value;
        if (target) openTarget(target);
        else if (chosen !== undefined) open(chosen);
        else if (detail.value.trim() !== '') open(`/jobs?name=${encodeURIComponent(detail.value.trim())}`);
      }}
      options={prefix === '' && !target ? [] : options}
      hideEnteredTextOption={target !== undefined}
      filteringType="manual"
      statusType={found.isFetching ? 'loading' : found.isError ? 'error' : 'finished'}
      loadingText="Searching"
      errorText="The search failed"
      empty={
        prefix === '' ? 'Type the beginning of a name, or paste an id' : 'No job has a name that begins so'
      }
      enteredTextLabel={(value) => `List jobs whose name begins with “${value}”`}
      placeholder="Search jobs, or paste an id"
      ariaLabel="Search jobs, or paste an id"
      expandToViewport
    />
  );
}
