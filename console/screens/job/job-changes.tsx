// The changes of a job: who, when, why, and the fields before and after.
import Box from '@cloudscape-design/components/box';
import type { Change } from '../../../src/client/types.ts';
import { valueChanges } from '../../../src/domain/value-changes.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { ChangesTable } from '../edit/save/changes-table.tsx';
import { useChanges } from './use-changes.ts';

export function JobChanges({ id }: { id: string }) {
  const changes = useChanges(id);
  return (
    <Loaded query={changes}>
      {() =>
        changes.items.length === 0 ? (
          <Empty title="No recorded change">The next change of the job appears here.</Empty>
        ) : (
          <div className="stack">
            {changes.items.map((change) => (
              <ChangeView key={`${change.version} ${change.at}`} change={change} />
            ))}
            <More list={changes} what="changes" />
          </div>
        )
      }
    </Loaded>
  );
}

function ChangeView({ change: { version, at, by, what, note, before, after } }: { change: Change }) {
  const fields = valueChanges([], before ?? {}, after ?? {});
  return (
    <Panel
      title={`${what.charAt(0).toUpperCase()}${what.slice(1)} by ${by}`}
      description={
        <>
          <Time at={at} />, version {version}
        </>
      }
    >
      <div className="stack">
        {note !== undefined && <blockquote className="job-note">{note}</blockquote>}
        {fields.length > 0 ? (
          <ChangesTable changes={fields} label={`Changed fields of version ${version}`} />
        ) : (
          <Box color="text-body-secondary">No field changed.</Box>
        )}
      </div>
    </Panel>
  );
}
