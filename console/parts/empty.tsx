// The text of a list without rows: its usual content, and the button or command that fills it.
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export const Empty = ({ title, children, action }: EmptyProps) => (
  <div className="empty">
    <SpaceBetween size="s" alignItems="center">
      <Box variant="strong" color="inherit">
        {title}
      </Box>
      {children && <Box color="text-body-secondary">{children}</Box>}
      {action}
    </SpaceBetween>
  </div>
);
