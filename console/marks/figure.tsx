// The frame of a picture: the picture with its sentence, and the same data as a table.
import Button from '@cloudscape-design/components/button';
import { type ReactNode, useState } from 'react';

export interface FigureTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
}

interface FigureProps {
  /** Names the data in the button: "Show runs as table". */
  readonly what: string;
  /** A function, because the rows are needed only while the table is shown. */
  readonly table: () => FigureTable;
  readonly children: ReactNode;
}

export function Figure({ what, table, children }: FigureProps) {
  const [asTable, setAsTable] = useState(false);
  return (
    <div className="mark-figure">
      {asTable ? <DataTable what={what} {...table()} /> : children}
      <div className="mark-switch">
        <Button
          variant="inline-link"
          ariaLabel={asTable ? `Show ${what} as picture` : `Show ${what} as table`}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? 'As picture' : 'As table'}
        </Button>
      </div>
    </div>
  );
}

function DataTable({ what, head, rows }: FigureTable & { what: string }) {
  return (
    // The table scrolls by itself, so the keyboard must reach it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus
    <section className="mark-scroll" tabIndex={0} aria-label={`Table of ${what}`}>
      <table className="mark-table">
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity and never move
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={head[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
