// The control of one field of the params.
import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Button from '@cloudscape-design/components/button';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import Toggle from '@cloudscape-design/components/toggle';
import { useEffect, useState } from 'react';
import { isRecord, isSameValue } from '../../../../src/domain/value-changes.ts';
import { Field } from '../form/field.tsx';
import { JsonEditor } from './json-editor.tsx';
import { canShow, labelOf, type ScalarKind, type SchemaField, withField } from './schema-field.ts';
import { TextControl } from './text-control.tsx';

interface ControlProps<Shown extends SchemaField = SchemaField> {
  readonly field: Shown;
  readonly path: string;
  readonly value: unknown;
  /** Undefined removes the field. */
  readonly onChange: (value: unknown) => void;
}

type Of<Kind extends SchemaField['kind']> = ControlProps<Extract<SchemaField, { kind: Kind }>>;

export function SchemaFieldControl(props: ControlProps) {
  const { field, path } = props;
  const isShown = canShow(field, props.value);
  return (
    <Field
      path={path}
      label={labelOf(field.name)}
      optional={!field.isRequired}
      description={field.description}
      hint={'hint' in field ? field.hint : undefined}
      deep={field.kind !== 'group' || !isShown}
      stretch={
        field.kind === 'json' ||
        field.kind === 'map' ||
        field.kind === 'group' ||
        ('isLong' in field && field.isLong)
      }
    >
      {isShown ? <Control {...props} /> : <JsonControl {...props} />}
    </Field>
  );
}

function Control(props: ControlProps) {
  const { field, value, onChange } = props;
  switch (field.kind) {
    case 'boolean':
      return (
        <Toggle
          checked={value === true}
          onChange={({ detail }) => onChange(detail.checked || (field.isRequired ? false : undefined))}
        >
          {labelOf(field.name)}
        </Toggle>
      );
    case 'choice':
      return <ChoiceControl {...(props as Of<'choice'>)} />;
    case 'list':
      return <ListControl {...(props as Of<'list'>)} />;
    case 'map':
      return <MapControl {...(props as Of<'map'>)} />;
    case 'group':
      return <GroupControl {...(props as Of<'group'>)} />;
    case 'json':
      return <AnyControl {...props} />;
    default:
      return (
        <TextControl
          kind={field.kind}
          label={labelOf(field.name)}
          isLong={field.isLong}
          value={value}
          onChange={onChange}
        />
      );
  }
}

const JsonControl = ({ field, value, onChange }: ControlProps) => (
  <JsonEditor label={labelOf(field.name)} value={value} onChange={onChange} />
);

function ChoiceControl({ field, value, onChange }: Of<'choice'>) {
  const none = { value: '', label: 'Not set' };
  const options = field.options.map((option) => ({ value: JSON.stringify(option), label: String(option) }));
  const shown = field.isRequired ? options : [none, ...options];
  return (
    <Select
      selectedOption={
        shown.find((option) => option.value === JSON.stringify(value)) ?? (field.isRequired ? null : none)
      }
      options={shown}
      placeholder="Choose"
      onChange={({ detail }) =>
        onChange(field.options.find((option) => JSON.stringify(option) === detail.selectedOption.value))
      }
    />
  );
}

function ListControl({ field, value, onChange }: Of<'list'>) {
  const items = Array.isArray(value) ? value : [];
  const label = labelOf(field.name);
  const set = (next: readonly unknown[]) => onChange(next.length > 0 || field.isRequired ? next : undefined);
  return (
    <AttributeEditor
      items={items.map((item) => ({ item }))}
      empty={null}
      addButtonText={`Add to ${label.toLowerCase()}`}
      disableAddButton={items.length >= (field.max ?? Number.POSITIVE_INFINITY)}
      removeButtonText="Remove"
      removeButtonAriaLabel={({ item }) => `Remove ${typeof item === 'string' ? item : JSON.stringify(item)}`}
      onAddButtonClick={() => set([...items, ''])}
      onRemoveButtonClick={({ detail }) => set(items.filter((_, index) => index !== detail.itemIndex))}
      definition={[
        {
          control: ({ item }, index) => (
            <TextControl
              kind={field.item}
              label={`${label} ${index + 1}`}
              value={item}
              onChange={(next) => set(items.map((old, at) => (at === index ? (next ?? '') : old)))}
            />
          ),
        },
      ]}
    />
  );
}

type Entry = readonly [key: string, value: unknown];

function MapControl({ field, value, onChange }: Of<'map'>) {
  const label = labelOf(field.name);
  return (
    <EntriesEditor
      label={label}
      item={field.item}
      value={isRecord(value) ? value : undefined}
      onChange={(next) => onChange(Object.keys(next).length > 0 || field.isRequired ? next : undefined)}
    />
  );
}

interface EntriesEditorProps {
  readonly label: string;
  readonly item: ScalarKind;
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly onChange: (value: Record<string, unknown>) => void;
}

const recordOf = (rows: readonly Entry[]): Record<string, unknown> =>
  Object.fromEntries(rows.filter(([key]) => key !== ''));

/** Names and values. A name may be empty or repeated while it is typed, so the rows are kept here. */
function EntriesEditor({ label, item, value, onChange }: EntriesEditorProps) {
  const [entries, setEntries] = useState<readonly Entry[]>(() => Object.entries(value ?? {}));
  useEffect(() => {
    setEntries((rows) => (isSameValue(recordOf(rows), value ?? {}) ? rows : Object.entries(value ?? {})));
  }, [value]);
  const set = (rows: readonly Entry[]) => {
    setEntries(rows);
    onChange(recordOf(rows));
  };
  const replace = (at: number, entry: Entry) =>
    set(entries.map((row, index) => (index === at ? entry : row)));
  const one = label.toLowerCase().replace(/s$/, '');
  return (
    <AttributeEditor
      items={entries}
      empty={null}
      addButtonText={`Add ${one}`}
      removeButtonText="Remove"
      removeButtonAriaLabel={([key]) => `Remove ${one} ${key}`}
      onAddButtonClick={() => set([...entries, ['', '']])}
      onRemoveButtonClick={({ detail }) => set(entries.filter((_, index) => index !== detail.itemIndex))}
      definition={[
        {
          label: 'Name',
          control: ([key, text], index) => (
            <TextControl
              kind="scalar"
              label={`Name of ${one} ${index + 1}`}
              value={key}
              onChange={(next) => replace(index, [String(next ?? ''), text])}
            />
          ),
        },
        {
          label: 'Value',
          control: ([key, text], index) => (
            <TextControl
              kind={item}
              label={`Value of ${one} ${index + 1}`}
              value={text}
              onChange={(next) => replace(index, [key, next ?? ''])}
            />
          ),
        },
      ]}
    />
  );
}

function GroupControl({ field, path, value, onChange }: Of<'group'>) {
  const group = isRecord(value) ? value : undefined;
  const label = labelOf(field.name);
  if (group === undefined && !field.isRequired) {
    return <Button onClick={() => onChange({})}>{`Set ${label}`}</Button>;
  }
  return (
    <div className="edit-group">
      <SpaceBetween size="m">
        {field.fields.map((inner) => (
          <SchemaFieldControl
            key={inner.name}
            field={inner}
            path={`${path}.${inner.name}`}
            value={group?.[inner.name]}
            onChange={(next) => onChange(withField(group ?? {}, inner.name, next))}
          />
        ))}
        {!field.isRequired && <Button onClick={() => onChange(undefined)}>{`Remove ${label}`}</Button>}
      </SpaceBetween>
    </div>
  );
}

/** Any JSON value. A text is typed as it is, because most bodies and messages are texts. */
function AnyControl({ field, value, onChange }: ControlProps) {
  const [mode, setMode] = useState<'text' | 'json'>(typeof value === 'string' ? 'text' : 'json');
  // A link or the JSON of all params may bring a value that the text field cannot show.
  const shown = mode === 'text' && value !== undefined && typeof value !== 'string' ? 'json' : mode;
  const label = labelOf(field.name);
  return (
    <SpaceBetween size="xs">
      <SegmentedControl
        label={`${label} as`}
        selectedId={shown}
        options={[
          { id: 'json', text: 'JSON' },
          { id: 'text', text: 'Text' },
        ]}
        onChange={({ detail }) => {
          const next = detail.selectedId === 'text' ? 'text' : 'json';
          setMode(next);
          if (next === 'text' && value !== undefined && typeof value !== 'string')
            onChange(JSON.stringify(value));
        }}
      />
      {shown === 'text' ? (
        <Textarea
          ariaLabel={label}
          value={typeof value === 'string' ? value : ''}
          rows={4}
          spellcheck={false}
          onChange={({ detail }) => onChange(detail.value === '' ? undefined : detail.value)}
        />
      ) : (
        <JsonEditor label={label} value={value} onChange={onChange} />
      )}
    </SpaceBetween>
  );
}
