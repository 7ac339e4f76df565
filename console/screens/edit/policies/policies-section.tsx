// The policies: retries, timeout, overlap, misfire and the concurrency limit.
import Checkbox from '@cloudscape-design/components/checkbox';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tiles from '@cloudscape-design/components/tiles';
import { memo } from 'react';
import { MISFIRE_POLICIES, OVERLAP_POLICIES } from '../../../../src/domain/jobs/policy-defaults.ts';
import type { JobDraft } from '../draft/job-draft.ts';
import { Field } from '../form/field.tsx';
import { NumericInput } from '../form/numeric-input.tsx';
import type { Numeric } from '../schedule/schedule-draft.ts';
import { MisfirePicture, OverlapPicture, RetryPicture } from './policy-pictures.tsx';

type Policies = Pick<JobDraft, 'retry' | 'timeoutSeconds' | 'overlap' | 'misfire' | 'limit'>;

interface PoliciesSectionProps extends Policies {
  readonly isRecurring: boolean;
  readonly onChange: (policies: Partial<Policies>) => void;
}

const OVERLAP_TEXTS: Record<Policies['overlap'], { label: string; description: string }> = {
  skip: { label: 'Skip', description: 'A run that is due while another one runs is skipped' },
  queue: { label: 'Queue', description: 'It waits, and starts when the other one has ended' },
  allow: { label: 'Allow', description: 'Both run at the same time' },
};

const MISFIRE_TEXTS: Record<Policies['misfire']['policy'], { label: string; description: string }> = {
  runAll: { label: 'Run all', description: 'Every missed run starts, one after the other' },
  runOnce: { label: 'Run once', description: 'One run stands for all that were missed' },
  skip: { label: 'Skip', description: 'Missed runs do not start' },
};

/** An empty field keeps the name of the field in the request, so that the server says what is allowed. */
const orEmpty = (value: Numeric | undefined): Numeric => value ?? '';

export const PoliciesSection = memo((props: PoliciesSectionProps) => {
  const { retry, timeoutSeconds, overlap, misfire, limit, isRecurring, onChange } = props;
  return (
    <Container header={<Header variant="h2">Policies</Header>}>
      <SpaceBetween size="l">
        <div>
          <div className="edit-columns edit-columns-4">
            <Field path="retry.maxAttempts" label="Attempts" hint="1 to 100, the first included">
              <NumericInput
                value={retry.maxAttempts}
                onChange={(value) => onChange({ retry: { ...retry, maxAttempts: orEmpty(value) } })}
              />
            </Field>
            <Field
              path="retry.backoffSeconds"
              label="First delay in seconds"
              hint="It doubles with each attempt"
            >
              <NumericInput
                value={retry.backoffSeconds}
                onChange={(value) => onChange({ retry: { ...retry, backoffSeconds: orEmpty(value) } })}
              />
            </Field>
            <Field path="retry.maxBackoffSeconds" label="Longest delay in seconds" hint="At most 86400">
              <NumericInput
                value={retry.maxBackoffSeconds}
                onChange={(value) => onChange({ retry: { ...retry, maxBackoffSeconds: orEmpty(value) } })}
              />
            </Field>
            <Field path="timeoutSeconds" label="Timeout in seconds" hint="Of one attempt, at most 43200">
              <NumericInput
                value={timeoutSeconds}
                onChange={(value) => onChange({ timeoutSeconds: orEmpty(value) })}
              />
            </Field>
          </div>
          <RetryPicture retry={retry} />
        </div>
        {isRecurring && (
          <SpaceBetween size="l">
            <Field path="overlap" label="If a run is due while another one runs" stretch>
              <Tiles
                ariaLabel="Overlap"
                columns={3}
                value={overlap}
                items={OVERLAP_POLICIES.map((policy) => ({
                  value: policy,
                  ...OVERLAP_TEXTS[policy],
                  image: <OverlapPicture policy={policy} />,
                }))}
                onChange={({ detail }) => onChange({ overlap: detail.value as Policies['overlap'] })}
              />
            </Field>
            <Field path="misfire.policy" label="If runs were missed, as in an outage" stretch>
              <Tiles
                ariaLabel="Misfire"
                columns={3}
                value={misfire.policy}
                items={MISFIRE_POLICIES.map((policy) => ({
                  value: policy,
                  ...MISFIRE_TEXTS[policy],
                  image: <MisfirePicture policy={policy} />,
                }))}
                onChange={({ detail }) =>
                  onChange({ misfire: { ...misfire, policy: detail.value as Policies['misfire']['policy'] } })
                }
              />
            </Field>
            <div className="edit-columns edit-columns-4">
              <Field
                path="misfire.graceSeconds"
                label="Grace in seconds"
                hint="A run that starts later than this counts as missed"
              >
                <NumericInput
                  value={misfire.graceSeconds}
                  onChange={(value) => onChange({ misfire: { ...misfire, graceSeconds: orEmpty(value) } })}
                />
              </Field>
            </div>
          </SpaceBetween>
        )}
        <SpaceBetween size="s">
          <Checkbox
            checked={limit !== undefined}
            description="Limits how many executions with one key run at once, over all of your jobs and all workers"
            onChange={({ detail }) =>
              onChange({ limit: detail.checked ? { key: '', concurrent: 1 } : undefined })
            }
          >
            Concurrency limit
          </Checkbox>
          {limit && (
            <div className="edit-columns">
              <Field path="limit.key" label="Key" hint="Jobs with the same key share the limit">
                <Input
                  value={limit.key}
                  onChange={({ detail }) => onChange({ limit: { ...limit, key: detail.value } })}
                />
              </Field>
              <Field path="limit.concurrent" label="At once" hint="1 to 100">
                <NumericInput
                  value={limit.concurrent}
                  onChange={(value) => onChange({ limit: { ...limit, concurrent: orEmpty(value) } })}
                />
              </Field>
            </div>
          )}
        </SpaceBetween>
      </SpaceBetween>
    </Container>
  );
});
