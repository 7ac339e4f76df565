// A dialog before a change: it says what happens and to how many. Nothing destructive is done without it.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';

interface ConfirmProps {
  /** Says what and how many: "Cancel 12 jobs?" */
  readonly title: string;
  /** The button. It repeats the verb: "Cancel jobs". */
  readonly confirmText: string;
  /** The effect of the change, and whether it can be undone. */
  readonly children: ReactNode;
  /** True if the record of the change has a note. */
  readonly withNote?: boolean;
  readonly disabled?: boolean;
  readonly onConfirm: (note: string | undefined) => void;
  readonly onDismiss: () => void;
}

export function Confirm(props: ConfirmProps) {
  const { title, confirmText, children, withNote = false, disabled = false, onConfirm, onDismiss } = props;
  const [note, setNote] = useState('');
  const confirm = () => onConfirm(note.trim() === '' ? undefined : note.trim());
  return (
    <Modal
      visible
      header={title}
      closeAriaLabel="Close"
      onDismiss={onDismiss}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onDismiss}>
              Go back
            </Button>
            <Button variant="primary" disabled={disabled} onClick={confirm}>
              {confirmText}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {children}
        {withNote && (
          <FormField
            label="Note"
            description="The reason, kept in the record of the change. It can be left out."
          >
            <Input value={note} onChange={({ detail }) => setNote(detail.value)} />
          </FormField>
        )}
      </SpaceBetween>
    </Modal>
  );
}
