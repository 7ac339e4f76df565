// The changed fields, before and after.
import type { ValueChange } from '../../../../src/domain/value-changes.ts';
import { valueText } from './value-text.ts';

interface ChangesTableProps {
  readonly changes: readonly ValueChange[];
  /** Names the table. A page with several gives each its own. */
  readonly label?: string;
}

export const ChangesTable = ({ changes, label = 'Changed fields' }: ChangesTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus
  <section className="edit-changes" tabIndex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, from, to }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two paths that are cut may be the same, and rows have no state
          <tr key={n}>
            <th scope="row">{path}</th>
            {(from !== undefined || to !== undefined) && (
              <>
                <td data-label="Before">
                  <pre className={from === undefined ? 'edit-absent' : 'edit-before'}>{valueText(from)}</pre>
                </td>
                <td data-label="After">
                  <pre className={to === undefined ? 'edit-absent' : 'edit-after'}>{valueText(to)}</pre>
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
