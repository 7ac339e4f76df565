// The last step of an edit: what changes, what that does to the next 24 hours, and why.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ValueChange } from '../../../../src/domain/value-changes.ts';
import { Note } from '../form/note.tsx';
import { ChangesTable } from './changes-table.tsx';
import { type Effect, effectSentence } from './effect.ts';
import { EffectMark } from './effect-mark.tsx';

interface ReviewDialogProps {
  readonly changes: readonly ValueChange[];
  /** Undefined if the schedule stays the same. */
  readonly effect: Effect | undefined;
  readonly zone: string;
  readonly isPaused: boolean;
  readonly note: string;
  readonly isSaving: boolean;
  readonly onNote: (note: string) => void;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

export function ReviewDialog(props: ReviewDialogProps) {
  const { changes, effect, zone, isPaused, note, isSaving, onNote, onSave, onClose } = props;
  return (
    <Modal
      visible
      size="large"
      header="Review changes"
      closeAriaLabel="Close"
      onDismiss={onClose}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onClose}>
              Back to the form
            </Button>
            <Button variant="primary" loading={isSaving} loadingText="Saving" onClick={onSave}>
              Save changes
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <ChangesTable changes={changes} />
        {effect && (
          <div data-part="effect">
            <Box variant="h3">Effect on the next 24 hours</Box>
            <p className="edit-quiet">
              {effectSentence(effect)} Times are in {zone}.
            </p>
            <EffectMark effect={effect} zone={zone} />
          </div>
        )}
        {effect && isPaused && (
          <Note type="info">The job is paused: none of these runs start until it is resumed.</Note>
        )}
        <FormField
          label="Reason"
          constraintText="Kept in the record of changes, which everybody who may see the job can read"
        >
          <Input value={note} onChange={({ detail }) => onNote(detail.value)} />
        </FormField>
      </SpaceBetween>
    </Modal>
  );
}
