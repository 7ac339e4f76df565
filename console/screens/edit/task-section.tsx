// The task of the job, as cards.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Tiles from '@cloudscape-design/components/tiles';
import { memo, useState } from 'react';
import type { Task } from '../../../src/client/types.ts';
import { Field } from './form/field.tsx';

interface TaskSectionProps {
  readonly tasks: readonly Task[];
  readonly task: string;
  readonly onChange: (task: Task) => void;
}

/** A form that begins with a task shows that one only. The others are a button away. */
export const TaskSection = memo(({ tasks, task, onChange }: TaskSectionProps) => {
  const [isOpen, setOpen] = useState(task === '');
  const chosen = tasks.find(({ name }) => name === task);
  return (
    <Container
      header={
        <Header variant="h2" actions={!isOpen && <Button onClick={() => setOpen(true)}>Change task</Button>}>
          {isOpen ? 'Task' : `Task: ${task}`}
        </Header>
      }
    >
      {isOpen ? (
        <Field path="task" label="What the job does" stretch>
          <Tiles
            ariaLabel="Task"
            columns={3}
            value={task === '' ? null : task}
            items={tasks.map(({ name, description }) => ({ value: name, label: name, description }))}
            onChange={({ detail }) => {
              const found = tasks.find(({ name }) => name === detail.value);
              if (found) onChange(found);
            }}
          />
        </Field>
      ) : (
        <div data-field="task">
          <Box color="text-body-secondary">{chosen?.description ?? 'This server has no such task.'}</Box>
        </div>
      )}
    </Container>
  );
});
