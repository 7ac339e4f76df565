// A remark with its sign: a warning, an error, or information.
import Icon from '@cloudscape-design/components/icon';
import type { ReactNode } from 'react';

const SIGNS = {
  warning: { icon: 'status-warning', variant: 'warning', name: 'Warning' },
  error: { icon: 'status-negative', variant: 'error', name: 'Error' },
  info: { icon: 'status-info', variant: 'link', name: 'Information' },
} as const;

export function Note({ type, children }: { type: keyof typeof SIGNS; children: ReactNode }) {
  const { icon, variant, name } = SIGNS[type];
  return (
    <div className="edit-note">
      <Icon name={icon} variant={variant} ariaLabel={name} />
      <div>{children}</div>
    </div>
  );
}
