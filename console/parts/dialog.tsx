// A dialog with fields: it stays open until its request succeeds, and shows why one was refused.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { Problem } from './problem.tsx';

interface DialogProps {
  readonly title: string;
  readonly confirmText: string;
  readonly children: ReactNode;
  readonly disabled?: boolean;
  readonly loading?: boolean;
  /** The refusal of the last request. */
  readonly error?: unknown;
  readonly onConfirm: () => void;
  readonly onDismiss: () => void;
}

export const Dialog = (props: DialogProps) => (
  <Modal
    visible
    header={props.title}
    closeAriaLabel="Close"
    onDismiss={props.onDismiss}
    footer={
      <Box float="right">
        <SpaceBetween direction="horizontal" size="xs">
          <Button variant="link" onClick={props.onDismiss}>
            Go back
          </Button>
          <Button
            variant="primary"
            disabled={props.disabled}
            loading={props.loading}
            onClick={props.onConfirm}
          >
            {props.confirmText}
          </Button>
        </SpaceBetween>
      </Box>
    }
  >
    <SpaceBetween size="m">
      {props.children}
      {Boolean(props.error) && <Problem error={props.error} />}
    </SpaceBetween>
  </Modal>
);
