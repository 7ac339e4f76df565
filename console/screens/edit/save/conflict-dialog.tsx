// Somebody else has saved the job in the meantime: both versions side by side, and a choice for each field.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { Job } from '../../../../src/client/types.ts';
import { Time } from '../../../parts/time.tsx';
import { draftOfJob, type JobDraft } from '../draft/job-draft.ts';
import { type MergeField, merged, mergeFields, proposedSide, type Side } from './merge.ts';
import { valueText } from './value-text.ts';

interface ConflictDialogProps {
  /** The version that the draft was made from. */
  readonly base: Job;
  readonly mine: JobDraft;
  readonly theirs: Job;
  /** Called with the draft on top of their version. */
  readonly onMerged: (draft: JobDraft) => void;
  readonly onClose: () => void;
}

export function ConflictDialog({ base, mine, theirs, onMerged, onClose }: ConflictDialogProps) {
  const other = draftOfJob(theirs);
  const fields = mergeFields(draftOfJob(base), mine, other);
  const [sides, setSides] = useState<ReadonlyMap<string, Side>>(
    () => new Map(fields.map((field) => [field.path, proposedSide(field)])),
  );
  const sideOf = (path: string): Side => sides.get(path) ?? 'theirs';
  const takeAll = (side: Side) => setSides(new Map(fields.map(({ path }) => [path, side])));
  return (
    <Modal
      visible
      size="max"
      header="Somebody else has changed this job"
      closeAriaLabel="Close"
      onDismiss={onClose}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={() => takeAll('mine')}>Take all of mine</Button>
            <Button onClick={() => takeAll('theirs')}>Take all of theirs</Button>
            <Button variant="primary" onClick={() => onMerged(merged(other, mine, fields, sideOf))}>
              Continue with this choice
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="s">
        <Box color="text-body-secondary">
          You edit version {base.version}. The job now has version {theirs.version}, of{' '}
          <Time at={theirs.updatedAt} />. Nothing is saved yet.
        </Box>
        {fields.length === 0 ? (
          <Box>Both versions are the same.</Box>
        ) : (
          <MergeTable
            fields={fields}
            sideOf={sideOf}
            onChange={(path, side) => setSides(new Map([...sides, [path, side]]))}
          />
        )}
      </SpaceBetween>
    </Modal>
  );
}

interface MergeTableProps {
  readonly fields: readonly MergeField[];
  readonly sideOf: (path: string) => Side;
  readonly onChange: (path: string, side: Side) => void;
}

const MergeTable = ({ fields, sideOf, onChange }: MergeTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus
  <section className="edit-changes" tabIndex={0} aria-label="Both versions">
    <table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Mine</th>
          <th scope="col">Theirs</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.path}>
            <th scope="row">
              {field.path}
              {field.isConflict && <div className="edit-quiet">changed by both</div>}
            </th>
            {(['mine', 'theirs'] as const).map((side) => (
              <td key={side} data-label={side === 'mine' ? 'Mine' : 'Theirs'}>
                <label className="edit-side-choice">
                  <input
                    type="radio"
                    name={`side of ${field.path}`}
                    aria-label={`Take ${side === 'mine' ? 'my' : 'their'} ${field.path}`}
                    checked={sideOf(field.path) === side}
                    onChange={() => onChange(field.path, side)}
                  />
                  <pre>{valueText(field[side])}</pre>
                </label>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
