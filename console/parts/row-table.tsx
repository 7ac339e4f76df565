// A table for long lists: sticky head, keys, sorted by the loaded rows, windowed above 100 rows. Cloudscape's table costs about
// 30 times the time of the browser per row.
import { type KeyboardEvent, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { nextSort, type Sort, type SortValue, sortRows } from './row-window.ts';
import { useRowWindow } from './use-row-window.ts';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Absent if the column cannot be sorted. */
  readonly sortBy?: (row: Row) => SortValue;
  /** A width of CSS. Columns without one share the rest. */
  readonly width?: string;
  /** The smallest page that shows the column. Default: every page. */
  readonly from?: 'tablet' | 'desktop' | 'wide';
  /** True if the cell has a line of its own on a phone. */
  readonly ownLine?: boolean;
}

/** The class of a cell. Undefined if it is shown everywhere, in the grid of a phone. */
export const cellClass = ({ from, ownLine }: Pick<Column<never>, 'from' | 'ownLine'>): string | undefined =>
  [from && `from-${from}`, ownLine && 'own-line'].filter(Boolean).join(' ') || undefined;

export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

interface RowTableProps<Row> {
  /** Names the table for assistive technology. */
  readonly label: string;
  /** The same array while the columns are the same, so that rows are not rendered again. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  /** The row in the label of its checkbox. */
  readonly rowName: (row: Row) => string;
  /** The page of the row, below `/console`. Enter opens it. */
  readonly href?: (row: Row) => string;
  readonly selection?: Selection;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort | undefined) => void;
  /** Keys for the row that has the focus, such as `r`. */
  readonly rowKeys?: readonly {
    readonly key: string;
    readonly what: string;
    readonly run: (row: Row) => void;
  }[];
}

export function RowTable<Row>(props: RowTableProps<Row>) {
  const { label, columns, rowId, rowName, href, selection, sort, onSort, rowKeys = [] } = props;
  const [, navigate] = useLocation();
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useSorted(props);
  const { first, end, rowHeight } = useRowWindow(body, rows.length);
  const { active, moveTo, activeRow } = useActiveRow(rows, rowId, body, rowHeight);
  const toggle = (row: Row | undefined) => {
    if (!row || !selection) return;
    const next = new Set(selection.selected);
    if (!next.delete(rowId(row))) next.add(rowId(row));
    selection.onChange(next);
  };
  useShortcuts([
    { keys: 'j', what: 'Next row', group: 'Lists', repeats: true, run: () => moveTo(active + 1) },
    { keys: 'k', what: 'Previous row', group: 'Lists', repeats: true, run: () => moveTo(active - 1) },
    ...(href ? [{ keys: 'Enter', what: 'Open the row', group: 'Lists' }] : []),
    ...(selection
      ? [{ keys: 'x', what: 'Select the row', group: 'Lists', run: () => toggle(activeRow) }]
      : []),
    ...rowKeys.map(({ key, what, run }) => ({
      keys: key,
      what,
      group: 'Lists',
      run: () => activeRow && run(activeRow),
    })),
  ]);
  const onKeyDown = (event: KeyboardEvent, row: Row, index: number) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const target = moves[event.key];
    if (target !== undefined) moveTo(target);
    else if (event.key === 'Enter' && href) navigate(href(row));
    else if (event.key === ' ' && selection) toggle(row);
    else return;
    event.preventDefault();
  };
  return (
    <table className="row-table" aria-label={label} aria-rowcount={rows.length + 1}>
      <colgroup>
        {selection && <col className="row-check" />}
        {columns.map(({ id, width, from }) => (
          <col key={id} className={from && `from-${from}`} style={{ width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {selection && <SelectAll rows={rows} rowId={rowId} selection={selection} />}
          {columns.map((column) => (
            <Head key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        <Gap height={first * rowHeight} />
        {rows.slice(first, end).map((row, position) => {
          const index = first + position;
          const id = rowId(row);
          const isSelected = selection?.selected.has(id) ?? false;
          return (
            <tr
              key={id}
              data-row={id}
              data-selected={isSelected || undefined}
              tabIndex={index === Math.max(active, 0) ? 0 : -1}
              aria-rowindex={index + 2}
              onKeyDown={(event) => onKeyDown(event, row, index)}
              onFocus={() => moveTo(index, false)}
            >
              {selection && (
                <td className="row-check">
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label={`Select ${rowName(row)}`}
                    checked={isSelected}
                    onChange={() => toggle(row)}
                  />
                </td>
              )}
              <Cells row={row} columns={columns} />
            </tr>
          );
        })}
        <Gap height={(rows.length - end) * rowHeight} />
      </tbody>
    </table>
  );
}

/** Rendered again only if the row or the columns are others, so that scrolling renders the cells of new rows only. */
const Cells = memo(function Cells<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return columns.map((column) => (
    <td key={column.id} className={cellClass(column)}>
      {column.cell(row)}
    </td>
  ));
}) as <Row>(props: { row: Row; columns: readonly Column<Row>[] }) => ReactNode;

function useSorted<Row>({ rows, columns, sort }: RowTableProps<Row>): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.column)?.sortBy;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `sortBy` is a new function in each render
  return useMemo(
    () => (sortBy ? sortRows(rows, sortBy, sort?.descending ?? false) : rows),
    [rows, sort?.column, sort?.descending],
  );
}

/** The time within which a scroll renders its row. */
const MAX_SCROLL_MS = 1_000;

/** The row that has or had the focus. -1 before the first. It stays on its row when the rows change. */
function useActiveRow<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  body: { readonly current: HTMLTableSectionElement | null },
  rowHeight: number,
) {
  const [activeId, setActiveId] = useState<string>();
  /** The row that gets the focus as soon as it is rendered. After `until`, the user has gone elsewhere. */
  const pending = useRef<{ id: string; until: number }>(undefined);
  const active = activeId === undefined ? -1 : rows.findIndex((row) => rowId(row) === activeId);
  const rendered = (id: string) =>
    body.current?.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(id)}"]`) ?? undefined;
  // The row may be rendered only after the scroll, so this runs after every render.
  useEffect(() => {
    const row = pending.current && rendered(pending.current.id);
    if (!pending.current || !row) return;
    const isLate = Date.now() > pending.current.until;
    pending.current = undefined;
    if (!isLate) row.focus();
  });
  const moveTo = (index: number, focus = true) => {
    const position = Math.max(0, Math.min(index, rows.length - 1));
    const row = rows[position];
    if (!row) return;
    const id = rowId(row);
    setActiveId(id);
    if (!focus) return;
    const element = rendered(id);
    pending.current = element ? undefined : { id, until: Date.now() + MAX_SCROLL_MS };
    if (element) element.focus();
    else if (body.current)
      scrollBy({ top: body.current.getBoundingClientRect().top + position * rowHeight - innerHeight / 2 });
  };
  return { active, moveTo, activeRow: rows[active] };
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort | undefined) => void) | undefined;
}

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const { id, title, sortBy, from } = column;
  const isSorted = sort?.column === id;
  const direction = isSorted ? (sort.descending ? 'descending' : 'ascending') : 'none';
  return (
    <th scope="col" className={from && `from-${from}`} aria-sort={sortBy && onSort ? direction : undefined}>
      {sortBy && onSort ? (
        <button type="button" onClick={() => onSort(nextSort(sort, id))}>
          {title}
          <span className="sort-sign" data-sorted={isSorted || undefined} aria-hidden="true">
            {isSorted && !sort.descending ? '▲' : '▼'}
          </span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

interface SelectAllProps<Row> {
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly selection: Selection;
}

function SelectAll<Row>({ rows, rowId, selection: { selected, onChange } }: SelectAllProps<Row>) {
  const box = useRef<HTMLInputElement>(null);
  const all = rows.length > 0 && rows.every((row) => selected.has(rowId(row)));
  useEffect(() => {
    if (box.current) box.current.indeterminate = !all && selected.size > 0;
  });
  return (
    <th scope="col" className="row-check">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all rows"
        checked={all}
        disabled={rows.length === 0}
        onChange={() => onChange(all ? new Set() : new Set(rows.map(rowId)))}
      />
    </th>
  );
}

/** The place of rows that are not rendered. One cell, because a span over hidden columns would make room for them. */
const Gap = ({ height }: { height: number }) =>
  height > 0 ? (
    <tr className="row-gap">
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  ) : null;
