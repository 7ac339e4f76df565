// Name and tags.
import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { memo } from 'react';
import type { JobDraft } from './draft/job-draft.ts';
import { Field } from './form/field.tsx';

const MAX_TAGS = 10;

interface AboutSectionProps extends Pick<JobDraft, 'name' | 'tags'> {
  /** The namespace of a job that is managed by its name. The name is then its identity and cannot change. */
  readonly namespace: string | undefined;
  readonly onChange: (changed: Partial<Pick<JobDraft, 'name' | 'tags'>>) => void;
}

export const AboutSection = memo(({ name, tags, namespace, onChange }: AboutSectionProps) => {
  const replace = (at: number, tag: readonly [string, string]) =>
    onChange({ tags: tags.map((old, index) => (index === at ? tag : old)) });
  return (
    <Container header={<Header variant="h2">Name and tags</Header>}>
      <SpaceBetween size="m">
        <Field
          path="name"
          label="Name"
          optional={namespace === undefined}
          hint={
            namespace === undefined ? 'At most 100 characters' : `The job is managed as ${namespace}/${name}`
          }
        >
          <Input
            value={name}
            disabled={namespace !== undefined}
            placeholder="nightly-report"
            onChange={({ detail }) => onChange({ name: detail.value })}
          />
        </Field>
        <Field path="tags" label="Tags" optional deep stretch>
          <AttributeEditor
            items={tags}
            empty={null}
            addButtonText="Add tag"
            disableAddButton={tags.length >= MAX_TAGS}
            removeButtonText="Remove"
            removeButtonAriaLabel={([key]) => `Remove tag ${key}`}
            onAddButtonClick={() => onChange({ tags: [...tags, ['', '']] })}
            onRemoveButtonClick={({ detail }) =>
              onChange({ tags: tags.filter((_, index) => index !== detail.itemIndex) })
            }
            definition={[
              {
                label: 'Key',
                control: ([key, value], index) => (
                  <Input
                    ariaLabel={`Key of tag ${index + 1}`}
                    value={key}
                    onChange={({ detail }) => replace(index, [detail.value, value])}
                  />
                ),
              },
              {
                label: 'Value',
                control: ([key, value], index) => (
                  <Input
                    ariaLabel={`Value of tag ${index + 1}`}
                    value={value}
                    onChange={({ detail }) => replace(index, [key, detail.value])}
                  />
                ),
              },
            ]}
          />
        </Field>
      </SpaceBetween>
    </Container>
  );
});
