// Notifications: for which events, and where to.
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { memo } from 'react';
import { DEFAULT_LATE_SECONDS, NOTIFY_ON, type NotifyEvent } from '../../../src/domain/jobs/notify-events.ts';
import type { NotifyDraft } from './draft/job-draft.ts';
import { Field } from './form/field.tsx';
import { NumericInput } from './form/numeric-input.tsx';

const MAX_NOTIFY = 10;

type TargetKind = 'webhook' | 'email' | 'sns';

const TARGETS: Record<
  TargetKind,
  {
    label: string;
    path: string;
    placeholder: string;
    make: (text: string) => Partial<NotifyDraft>;
    read: (notify: NotifyDraft) => string | undefined;
  }
> = {
  webhook: {
    label: 'Webhook',
    path: 'webhook.url',
    placeholder: 'https://example.com/alert',
    make: (url) => ({ webhook: { url } }),
    read: ({ webhook }) => webhook?.url,
  },
  email: {
    label: 'E-mail',
    path: 'email.to',
    placeholder: 'team@example.com',
    make: (to) => ({ email: { to } }),
    read: ({ email }) => email?.to,
  },
  sns: {
    label: 'SNS topic',
    path: 'sns.topicArn',
    placeholder: 'arn:aws:sns:eu-west-1:123456789012:alerts',
    make: (topicArn) => ({ sns: { topicArn } }),
    read: ({ sns }) => sns?.topicArn,
  },
};

const OPTIONS = (Object.keys(TARGETS) as TargetKind[]).map((value) => ({
  value,
  label: TARGETS[value].label,
}));

const EVENTS: Record<NotifyEvent, string> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  retrying: 'Retrying',
  late: 'Late',
  skipped: 'Skipped',
};

const kindOf = (notify: NotifyDraft): TargetKind =>
  (Object.keys(TARGETS) as TargetKind[]).find((kind) => TARGETS[kind].read(notify) !== undefined) ??
  'webhook';

interface NotifySectionProps {
  readonly notify: readonly NotifyDraft[];
  readonly onChange: (notify: readonly NotifyDraft[]) => void;
}

export const NotifySection = memo(({ notify, onChange }: NotifySectionProps) => (
  <Container
    header={
      <Header
        variant="h2"
        actions={
          <Button
            disabled={notify.length >= MAX_NOTIFY}
            onClick={() => onChange([...notify, { on: ['failed'], webhook: { url: '' } }])}
          >
            Add notification
          </Button>
        }
      >
        Notifications
      </Header>
    }
  >
    <Field path="notify" label={<span className="only-spoken">Notifications</span>} deep={false} stretch>
      {notify.length === 0 ? (
        <span className="edit-quiet">Nobody is notified.</span>
      ) : (
        <SpaceBetween size="m">
          {notify.map((one, index) => (
            <NotifyFields
              // biome-ignore lint/suspicious/noArrayIndexKey: notifications have no identity
              key={index}
              index={index}
              notify={one}
              onChange={(next) => onChange(notify.map((old, at) => (at === index ? next : old)))}
              onRemove={() => onChange(notify.filter((_, at) => at !== index))}
            />
          ))}
        </SpaceBetween>
      )}
    </Field>
  </Container>
));

interface NotifyFieldsProps {
  readonly index: number;
  readonly notify: NotifyDraft;
  readonly onChange: (notify: NotifyDraft) => void;
  readonly onRemove: () => void;
}

function NotifyFields({ index, notify, onChange, onRemove }: NotifyFieldsProps) {
  const kind = kindOf(notify);
  const target = TARGETS[kind];
  const { on, lateSeconds } = notify;
  const withTarget = (to: TargetKind, text: string): NotifyDraft => ({
    on,
    ...(lateSeconds !== undefined && { lateSeconds }),
    ...TARGETS[to].make(text),
  });
  const toggle = (event: NotifyEvent, checked: boolean) => {
    const next = NOTIFY_ON.filter((one) => (one === event ? checked : on.includes(one)));
    const { lateSeconds: _, ...rest } = notify;
    onChange({ ...(next.includes('late') ? notify : rest), on: next });
  };
  return (
    <div className="edit-group">
      <SpaceBetween size="s">
        <Field path={`notify[${index}].on`} label={`Notification ${index + 1}: when a run`} deep>
          <div className="edit-checks">
            {NOTIFY_ON.map((event) => (
              <Checkbox
                key={event}
                checked={on.includes(event)}
                onChange={({ detail }) => toggle(event, detail.checked)}
              >
                {EVENTS[event]}
              </Checkbox>
            ))}
          </div>
        </Field>
        <div className="edit-columns">
          <Field path={`notify[${index}]`} label="By">
            <Select
              ariaLabel={`Notification ${index + 1}: by`}
              selectedOption={OPTIONS.find(({ value }) => value === kind) ?? null}
              options={OPTIONS}
              onChange={({ detail }) => onChange(withTarget(detail.selectedOption.value as TargetKind, ''))}
            />
          </Field>
          <Field path={`notify[${index}].${target.path}`} label={target.label}>
            <Input
              ariaLabel={`Notification ${index + 1}: ${target.label}`}
              value={target.read(notify) ?? ''}
              placeholder={target.placeholder}
              onChange={({ detail }) => onChange(withTarget(kind, detail.value))}
            />
          </Field>
        </div>
        {on.includes('late') && (
          <Field
            path={`notify[${index}].lateSeconds`}
            label="Late after seconds"
            optional
            hint={`Default ${DEFAULT_LATE_SECONDS}`}
          >
            <NumericInput
              value={lateSeconds}
              onChange={(value) => {
                const { lateSeconds: _, ...rest } = notify;
                onChange(value === undefined ? rest : { ...rest, lateSeconds: value });
              }}
            />
          </Field>
        )}
        <Button ariaLabel={`Remove notification ${index + 1}`} onClick={onRemove}>
          Remove
        </Button>
      </SpaceBetween>
    </div>
  );
}
