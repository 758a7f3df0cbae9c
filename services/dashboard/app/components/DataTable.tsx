import {
  memo,
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { strings } from '../strings/strings.ts';
import type { KeyHandler } from './fields.tsx';
import { useMedia } from './use-media.ts';
import { WithoutControlsContext } from './without-controls.ts';
import { Link } from './Link.tsx';
import { ErrorNotice, Loading } from './notices.tsx';

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** A track of a CSS grid. Default: minmax(6rem, 1fr). */
  width?: string;
  align?: 'end';
  isHiddenOnPhone?: boolean;
  /** On a phone, shown as a second line of the first column. */
  isDetailOnPhone?: boolean;
  /** Hidden on a phone, too. */
  isHiddenOnTablet?: boolean;
};

export type DataTableProps<Row> = {
  /** The name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The page of a row. The first column becomes a link over the whole row; other controls in the row still work. */
  rowHref?: (row: Row) => string | undefined;
  /** In pixels. Rows have one height, so that a million of them scroll. */
  rowHeight?: number;
  /** Default: rowHeight. */
  phoneRowHeight?: number;
  isLoading?: boolean;
  error?: Error | null;
  onRetry?: () => void;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  /** Called when the end of the loaded rows is near. */
  onLoadMore?: () => void;
  /** Shown when there are no rows. */
  empty: ReactNode;
};

const nearEnd = 20;
const loadingRows = 8;
const rowsBeyondView = 12;
const rowsBeyondFastView = 2;
const stopsAfterMs = 250;

const templateOf = <Row,>(columns: readonly Column<Row>[]): string =>
  columns.map(({ width }) => width ?? 'minmax(6rem, 1fr)').join(' ');

const phone = '(width < 48rem)';
/** A window without room for all columns, for `useMedia`. */
export const tablet = '(width < 82rem)';

/** The columns that have room, and those that are details of the first column. */
const useVisibleColumns = <Row,>(columns: readonly Column<Row>[]) => {
  const isPhone = useMedia(phone);
  const isTablet = useMedia(tablet);
  return useMemo(() => {
    const isDetail = (column: Column<Row>): boolean => isPhone && column.isDetailOnPhone === true;
    const isHidden = (column: Column<Row>): boolean =>
      (isPhone && column.isHiddenOnPhone === true) || ((isPhone || isTablet) && column.isHiddenOnTablet === true);
    return {
      columns: columns.filter((column) => !isDetail(column) && !isHidden(column)),
      details: columns.filter(isDetail),
      isPhone,
    };
  }, [columns, isPhone, isTablet]);
};

/** Arrow keys move the focus between the links of rows. */
const moveFocus: KeyHandler = (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const link = event.currentTarget as HTMLElement;
  const links = [...link.closest('[role=table]')!.querySelectorAll<HTMLElement>('.row-link')];
  const next = step === undefined ? undefined : links[links.indexOf(link) + step];
  if (!next) return event.continuePropagation();
  event.preventDefault();
  next.focus();
};

type CellsProps<Row> = {
  columns: readonly Column<Row>[];
  details: readonly Column<Row>[];
  row: Row;
  href: string | undefined;
};

const Cells = <Row,>({ columns, details, row, href }: CellsProps<Row>) =>
  columns.map((column, index) => (
    <div key={column.key} role="cell" className={`cell${column.align ? ' cell-end' : ''}`} dir="auto">
      {index === 0 && href !== undefined ? (
        <Link href={href} className="row-link" onKeyDown={moveFocus}>
          {column.cell(row)}
        </Link>
      ) : (
        column.cell(row)
      )}
      {index === 0 &&
        details.map((detail) => (
          <span key={detail.key} className="cell-detail" dir="auto">
            {detail.cell(row)}
          </span>
        ))}
    </div>
  ));

type TableRowProps<Row> = CellsProps<Row> & {
  /** The tracks of the columns. */
  tracks: string;
  index: number;
  top: number;
  height: number;
  isFast: boolean;
};

/**
 * A row that stays in view is not rendered again, so that scrolling costs only the new rows. A row that appears while the
 * list moves fast has no controls until the list stops.
 */
const TableRow = memo(<Row,>({ tracks, index, top, height, isFast, ...cells }: TableRowProps<Row>) => {
  const [isWithoutControls, setWithoutControls] = useState(isFast);
  if (isWithoutControls && !isFast) setWithoutControls(false);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="table-row"
      style={{ gridTemplateColumns: tracks, height, transform: `translateY(${top}px)` }}
    >
      <WithoutControlsContext value={isWithoutControls}>
        <Cells {...cells} />
      </WithoutControlsContext>
    </div>
  );
}) as <Row>(props: TableRowProps<Row>) => ReactElement;

type Motion = { first: number; isFast: boolean };

/** The motion of a list: fast as soon as a quarter of the rows in view is new at once, until it stops. */
const nextMotion = (last: Motion, first: number, inView: number, isScrolling: boolean): Motion => ({
  first,
  isFast: isScrolling && (last.isFast || Math.abs(first - last.first) > inView / 4),
});

/**
 * A list of any length: only the visible rows are in the page. Rows are loaded page by page while the person scrolls.
 * It has states for loading, error, empty and end.
 */
export const DataTable = <Row,>(props: DataTableProps<Row>): ReactElement => {
  const { label, rows, rowKey, rowHref, isLoading = false, error, onRetry, empty } = props;
  const { hasMore = false, isLoadingMore = false, onLoadMore } = props;
  const { columns, details, isPhone } = useVisibleColumns(props.columns);
  const { rowHeight: wideRowHeight = 44, phoneRowHeight = wideRowHeight } = props;
  const rowHeight = isPhone ? phoneRowHeight : wideRowHeight;
  const body = useRef<HTMLDivElement>(null);
  const motion = useRef<Motion>({ first: 0, isFast: false });
  // Another function would let the virtualizer measure all rows again.
  const keyAt = useCallback((index: number) => rowKey(rows[index]!), [rows, rowKey]);
  // The rule warns of the React Compiler, which does not compile the dashboard.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: motion.current.isFast ? rowsBeyondFastView : rowsBeyondView,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: keyAt,
    isScrollingResetDelay: stopsAfterMs,
  });
  useLayoutEffect(() => virtualizer.measure(), [rowHeight, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: 0 };
  motion.current = nextMotion(motion.current, startIndex, endIndex - startIndex, virtualizer.isScrolling);
  useEffect(() => {
    if (hasMore && !isLoadingMore && !error && last >= rows.length - nearEnd && rows.length > 0) onLoadMore?.();
  }, [hasMore, isLoadingMore, error, last, rows.length, onLoadMore]);

  if (!isLoading && !error && rows.length === 0) return <div className="card table-empty">{empty}</div>;
  const tracks = templateOf(columns);
  return (
    <div className="card table-frame">
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-busy={isLoading}
        className="table"
      >
        <div role="rowgroup" className="table-head">
          <div role="row" className="table-row" style={{ gridTemplateColumns: tracks }}>
            {columns.map((column) => (
              <div key={column.key} role="columnheader" className={`cell${column.align ? ' cell-end' : ''}`}>
                {column.header}
              </div>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={body}
          className="table-body"
          style={{ height: isLoading ? rowHeight * loadingRows : virtualizer.getTotalSize() }}
        >
          {items.map((item) => {
            const row = rows[item.index]!;
            return (
              <TableRow
                key={item.key}
                columns={columns}
                details={details}
                tracks={tracks}
                row={row}
                href={rowHref?.(row)}
                index={item.index}
                top={item.start - virtualizer.options.scrollMargin}
                height={rowHeight}
                isFast={motion.current.isFast}
              />
            );
          })}
        </div>
      </div>
      {isLoading && (
        <div className="table-skeleton" role="status" aria-label={strings.common.loading}>
          {Array.from({ length: loadingRows }, (_, index) => (
            <span key={index} style={{ height: rowHeight }} />
          ))}
        </div>
      )}
      {error && <ErrorNotice error={error} {...(onRetry && { onRetry })} />}
      {isLoadingMore && <Loading label={strings.common.loadingMore} />}
      {!hasMore && !isLoading && !error && (
        <p className="table-end">
          {strings.common.rows(rows.length)} · {strings.common.endOfList}
        </p>
      )}
    </div>
  );
};
