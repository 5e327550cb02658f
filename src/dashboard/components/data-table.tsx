// biome-ignore-all lint/a11y/noRedundantRoles: browsers drop these roles where the narrow style shows cards
import { Button } from '@mantine/core';
import { memo, type ReactNode, useEffect, useRef } from 'react';
import type { Page } from '../api/http.ts';
import type { Pages } from '../api/use-api.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { Answered, type Asked } from './page.tsx';
import { Empty } from './page-head.tsx';

export interface Column<Row> {
  readonly title: string;
  /** Stands in the head instead of the title. */
  readonly heading?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end of their cell. */
  readonly end?: boolean;
  /** Takes the width that the other columns leave. */
  readonly rest?: boolean;
  /** Where a narrow screen shows it: on the first of two lines, or as what is cut on the second. */
  readonly narrow?: 'narrow-first' | 'narrow-cut';
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The text in place of a table without rows. */
  readonly empty?: string;
  /** Rows have two lines without titles on a narrow screen: for values that need none. */
  readonly compact?: boolean;
  /** Says what stands below a row, as wide as the table; null for nothing. A new function at each rendering would draw every row again. */
  readonly below?: (row: Row) => ReactNode;
}

/**
 * A table that becomes a list of cards on a narrow screen. The roles are spelled out because browsers drop a table's
 * own ones when its style is no longer that of a table.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, empty, compact = false, below } = props;
  if (empty !== undefined && rows.length === 0) return <Empty text={empty} />;
  return (
    <table className={compact ? 'data compact' : 'data'} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, heading, ...look }) => (
            <th key={title} role="columnheader" scope="col" className={classOf(look)}>
              {heading ?? title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <TableRow key={keyOf(row)} columns={columns} row={row} below={below} />
        ))}
      </tbody>
    </table>
  );
}

/** Drawn anew only for another row or other columns: a live list adds some rows to hundreds, many times a second. */
const TableRow = memo(Cells) as typeof Cells;

interface CellsProps<Row> extends Pick<DataTableProps<Row>, 'columns'> {
  readonly row: Row;
  readonly below: DataTableProps<Row>['below'] | undefined;
}

function Cells<Row>({ columns, row, below }: CellsProps<Row>) {
  const more = below?.(row) ?? null;
  return (
    <>
      <tr role="row">
        {columns.map(({ title, cell, ...look }) => (
          <td key={title} role="cell" data-title={title} className={classOf(look)}>
            <div>{cell(row)}</div>
          </td>
        ))}
      </tr>
      {more !== null && (
        <tr role="row" className="below">
          <td role="cell" colSpan={columns.length}>
            {more}
          </td>
        </tr>
      )}
    </>
  );
}

type Look = Pick<Column<never>, 'end' | 'rest' | 'narrow'>;

function classOf({ end = false, rest = false, narrow }: Look): string | undefined {
  const classes = [end && 'end', rest && 'rest', narrow].filter(Boolean);
  return classes.length > 0 ? classes.join(' ') : undefined;
}

interface ListTableProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  readonly asked: Asked<Pick<Page<Row>, 'items'>>;
}

/** A list of the server as a table, once it is there. */
export function ListTable<Row>({ asked, ...table }: ListTableProps<Row>) {
  return <Answered asked={asked}>{({ items }) => <DataTable {...table} rows={items} />}</Answered>;
}

/** Turns the pages of a long list; not there when all fits on one. */
export function Pager({ pages: { number, older, newer } }: { pages: Pages<unknown> }) {
  const { general } = useDeskTexts();
  const here = useRef<HTMLDivElement>(null);
  const shown = useRef(number);
  useEffect(() => {
    if (shown.current !== number && here.current) goToList(here.current);
    shown.current = number;
  }, [number]);
  if (!older && !newer) return null;
  return (
    <div className="pager" ref={here}>
      <Button variant="default" disabled={!newer} onClick={newer}>
        {general.newer}
      </Button>
      <span role="status">{general.page(number)}</span>
      <Button variant="default" disabled={!older} onClick={older}>
        {general.older}
      </Button>
    </div>
  );
}

/** Another page is read from its top: the list before the buttons comes into view and has the focus. */
function goToList(pager: HTMLElement): void {
  for (let before = pager.previousElementSibling; before; before = before.previousElementSibling) {
    if (!(before instanceof HTMLElement) || !before.matches('table.data, .state')) continue;
    before.tabIndex = -1;
    before.focus({ preventScroll: true });
    before.scrollIntoView({ block: 'start' });
    return;
  }
}

/** A long text on one line; who presses it or steps to it reads all of it. */
export function Unfolding({ children }: { children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard and a touch unfold it as the mouse does
    <span className="unfolding" tabIndex={0} title={children}>
      {children}
    </span>
  );
}
