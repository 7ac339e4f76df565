// The params of the task: a form by their JSON Schema, or JSON.
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { memo, useState } from 'react';
import type { Task } from '../../../../src/client/types.ts';
import { isRecord } from '../../../../src/domain/value-changes.ts';
import { useHasError } from '../form/errors-context.ts';
import { Field } from '../form/field.tsx';
import { JsonEditor } from './json-editor.tsx';
import { SchemaFieldControl } from './schema-control.tsx';
import { fieldsOfSchema, labelOf, type SchemaField, unknownNames, withField } from './schema-field.ts';

type Params = Readonly<Record<string, unknown>>;

interface ParamsSectionProps {
  readonly task: Task | undefined;
  readonly params: Params;
  readonly onChange: (params: Params) => void;
}

/** A form with more fields than this shows the optional ones on request. */
const MANY_FIELDS = 5;

export const ParamsSection = memo(({ task, params, onChange }: ParamsSectionProps) => {
  const fields = fieldsOfSchema(task?.params);
  const [chosen, setMode] = useState<'form' | 'json'>('form');
  const mode = fields ? chosen : 'json';
  return (
    <Container
      header={
        <Header
          variant="h2"
          actions={
            fields && (
              <SegmentedControl
                label="Params as"
                selectedId={mode}
                options={[
                  { id: 'form', text: 'Form' },
                  { id: 'json', text: 'JSON' },
                ]}
                onChange={({ detail }) => setMode(detail.selectedId === 'json' ? 'json' : 'form')}
              />
            )
          }
        >
          Params
        </Header>
      }
    >
      {mode === 'form' && fields ? (
        <ParamsForm key={task?.name} fields={fields} params={params} onChange={onChange} />
      ) : (
        <Field path="params" label="Params as JSON" deep stretch>
          <JsonEditor
            label="Params"
            value={params}
            minLines={8}
            check={(value) => (value === undefined || isRecord(value) ? undefined : 'must be a JSON object')}
            onChange={(value) => onChange(isRecord(value) ? value : {})}
          />
        </Field>
      )}
    </Container>
  );
});

function ParamsForm({
  fields,
  params,
  onChange,
}: {
  fields: readonly SchemaField[];
  params: Params;
  onChange: (params: Params) => void;
}) {
  const unknown = unknownNames(fields, params);
  const isFolded = (field: SchemaField) => fields.length > MANY_FIELDS && !field.isRequired;
  const folded = fields.filter(isFolded);
  const hasFoldedValue = folded.some(({ name }) => params[name] !== undefined);
  const hasFoldedError = useHasError(folded.map(({ name }) => `params.${name}`));
  const [open, setOpen] = useState(hasFoldedValue);
  const control = (field: SchemaField) => (
    <SchemaFieldControl
      key={field.name}
      field={field}
      path={`params.${field.name}`}
      value={params[field.name]}
      onChange={(value) => onChange(withField(params, field.name, value))}
    />
  );
  return (
    <SpaceBetween size="m">
      {fields.length === 0 && <Box color="text-body-secondary">This task has no params.</Box>}
      {fields.filter((field) => !isFolded(field)).map(control)}
      {folded.length > 0 && (
        <ExpandableSection
          headerText={`Optional params: ${folded.map(({ name }) => labelOf(name).toLowerCase()).join(', ')}`}
          expanded={open || hasFoldedError}
          onChange={({ detail }) => setOpen(detail.expanded)}
        >
          <SpaceBetween size="m">{folded.map(control)}</SpaceBetween>
        </ExpandableSection>
      )}
      {unknown.length > 0 && (
        <Field path="params" label="Other params" deep={false}>
          <Alert type="warning" statusIconAriaLabel="Warning">
            The task has no params named {unknown.join(', ')}. JSON shows and removes them.
          </Alert>
        </Field>
      )}
    </SpaceBetween>
  );
}
