// A part of a page with a heading.
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import type { ReactNode } from 'react';

interface PanelProps {
  /** Absent if the content needs no heading. */
  readonly title?: string;
  readonly counter?: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export const Panel = ({ title, counter, description, actions, children }: PanelProps) => (
  <Container
    header={
      title && (
        <Header variant="h2" counter={counter} description={description} actions={actions}>
          {title}
        </Header>
      )
    }
  >
    {children}
  </Container>
);
