// The actions on selected jobs, or on all jobs of the filter.
import Button from '@cloudscape-design/components/button';
import { ACTION_TEXTS, countOfJobs, JOB_ACTIONS, type JobAction } from '../../parts/job-action-texts.ts';

interface BulkBarProps {
  readonly selectedCount: number;
  /** True if all jobs of the filter are meant, also those that are not loaded. */
  readonly wholeFilter: boolean;
  /** True if there are more jobs than those loaded, and all loaded ones are selected. */
  readonly canSelectFilter: boolean;
  readonly onWholeFilter: () => void;
  readonly onAction: (action: JobAction) => void;
  readonly onClear: () => void;
}

export function BulkBar(props: BulkBarProps) {
  const { selectedCount, wholeFilter, canSelectFilter, onWholeFilter, onAction, onClear } = props;
  if (selectedCount === 0) return null;
  return (
    <section className="bulk-bar" aria-label="Selected jobs">
      <strong role="status">
        {wholeFilter ? 'All jobs of this filter' : `${countOfJobs(selectedCount)} selected`}
      </strong>
      {JOB_ACTIONS.map((action) => (
        <Button
          key={action}
          disabled={wholeFilter && action === 'run'}
          disabledReason="Runs are started for selected jobs only"
          onClick={() => onAction(action)}
        >
          {action === 'run' ? 'Run now' : ACTION_TEXTS[action].verb}
        </Button>
      ))}
      {canSelectFilter && !wholeFilter && (
        <Button variant="inline-link" onClick={onWholeFilter}>
          Select all jobs of this filter
        </Button>
      )}
      <Button variant="inline-link" onClick={onClear}>
        Clear the selection
      </Button>
      <span className="quiet">The list does not refresh while jobs are selected.</span>
    </section>
  );
}
