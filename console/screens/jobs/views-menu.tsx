// The menu of saved views.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useSession } from '../../auth/auth.ts';
import { readStored, writeStored } from '../../state/stored-value.ts';
import { type SavedView, viewQuery, viewsOf, withoutView, withView } from './saved-views.ts';

export function ViewsMenu() {
  const { auth } = useSession();
  const key = `punctual.views.jobs.${auth.user()?.id ?? ''}`;
  const [params, setParams] = useSearchParams();
  const [views, setViews] = useState(() => viewsOf(readStored(key)));
  const [naming, setNaming] = useState(false);
  const current = viewQuery(params);
  const shown = views.find(({ query }) => query === current);
  const keep = (next: SavedView[]) => {
    setViews(next);
    writeStored(key, JSON.stringify(next));
  };
  const open = (query: string) => {
    const next = new URLSearchParams(query);
    const zone = params.get('tz');
    if (zone !== null) next.set('tz', zone);
    setParams(next);
  };
  const choose = (id: string) => {
    if (id === 'save') return setNaming(true);
    if (id === 'all') return open('');
    if (id === 'delete') return keep(withoutView(views, shown?.name ?? ''));
    open(views.find(({ name }) => `view ${name}` === id)?.query ?? '');
  };
  return (
    <>
      <ButtonDropdown
        ariaLabel={shown ? `${shown.name}, a saved view` : 'Views of the list'}
        items={[
          { id: 'all', text: 'All jobs', disabled: current === '' },
          ...(views.length > 0
            ? [
                {
                  id: 'saved',
                  text: 'Saved views',
                  items: views.map(({ name, query }) => ({
                    itemType: 'checkbox' as const,
                    id: `view ${name}`,
                    text: name,
                    checked: query === current,
                  })),
                },
              ]
            : []),
          { id: 'save', text: 'Save this view…', disabled: current === '' || shown !== undefined },
          ...(shown ? [{ id: 'delete', text: `Delete the view “${shown.name}”` }] : []),
        ]}
        onItemClick={({ detail }) => choose(detail.id)}
      >
        {shown ? shown.name : 'Views'}
      </ButtonDropdown>
      {naming && (
        <NameDialog
          onDismiss={() => setNaming(false)}
          onSave={(name) => {
            keep(withView(views, { name, query: current }));
            setNaming(false);
          }}
        />
      )}
    </>
  );
}

function NameDialog({ onSave, onDismiss }: { onSave: (name: string) => void; onDismiss: () => void }) {
  const [name, setName] = useState('');
  const save = () => name.trim() !== '' && onSave(name.trim());
  return (
    <Modal
      visible
      header="Save this view"
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onDismiss}>
              Go back
            </Button>
            <Button variant="primary" disabled={name.trim() === ''} onClick={save}>
              Save
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <FormField label="Name" description="This browser keeps the filter and the order of the list under it.">
        <Input
          value={name}
          onChange={({ detail }) => setName(detail.value)}
          onKeyDown={({ detail }) => detail.key === 'Enter' && save()}
        />
      </FormField>
    </Modal>
  );
}
