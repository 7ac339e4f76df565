// The frame of a screen: title, actions, the page as a command, and the content.
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useEffect } from 'react';
import { AsCommand, type Commands } from './as-command.tsx';

interface PageProps {
  readonly title: string;
  /** Beside the title, such as "(100+)". */
  readonly counter?: string | undefined;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly commands?: Commands;
  readonly children: ReactNode;
}

export function Page({ title, counter, description, actions, commands, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – Punctual`;
  }, [title]);
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        counter={counter}
        description={description}
        actions={
          <div className="actions">
            {commands && <AsCommand {...commands} />}
            {actions}
          </div>
        }
      >
        {title}
      </Header>
      {children}
    </SpaceBetween>
  );
}
