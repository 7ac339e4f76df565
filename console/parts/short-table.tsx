// A table of a few rows in a part of a page. It looks like the table of long lists, without its keys and its order.
import { type Column, cellClass } from './row-table.tsx';

interface ShortTableProps<Row> {
  /** Names the table for assistive technology. */
  readonly label: string;
  readonly columns: readonly Omit<Column<Row>, 'sortBy'>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
}

export const ShortTable = <Row,>({ label, columns, rows, rowId }: ShortTableProps<Row>) => (
  <table className="row-table short-table" aria-label={label}>
    <colgroup>
      {columns.map(({ id, width, from }) => (
        <col key={id} className={from && `from-${from}`} style={{ width }} />
      ))}
    </colgroup>
    <thead>
      <tr>
        {columns.map(({ id, title, from }) => (
          <th key={id} scope="col" className={from && `from-${from}`}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={rowId(row)} data-row={rowId(row)}>
          {columns.map((column) => (
            <td key={column.id} className={cellClass(column)}>
              {column.cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
