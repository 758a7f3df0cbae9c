import type { ReactElement, ReactNode } from 'react';
import { numbered } from './numbered.ts';

type PlainTableProps = {
  /** A column without a header has none in the page; if no column has one, there is no line of headers. */
  columns: readonly { header?: string; align?: 'end'; className?: string }[];
  /** The cells of each row. The first one names the row. */
  rows: readonly (readonly ReactNode[])[];
  isSmall?: boolean;
};

/** A table of a few rows. */
export const PlainTable = ({ columns, rows, isSmall }: PlainTableProps): ReactElement => (
  <table className={isSmall ? 'plain-table plain-table-small' : 'plain-table'}>
    {columns.some(({ header }) => header) && (
      <thead>
        <tr>
          {numbered(columns).map(({ number, item: { header, align } }) =>
            header ? (
              <th key={number} scope="col" className={align && 'number-cell'}>
                {header}
              </th>
            ) : (
              <td key={number} />
            ),
          )}
        </tr>
      </thead>
    )}
    <tbody>
      {numbered(rows).map(({ number: row, item: [name, ...cells] }) => (
        <tr key={row}>
          <th scope="row" className={columns[0]!.className}>
            {name}
          </th>
          {numbered(cells).map(({ number, item: cell }) => {
            const { align, className = '' } = columns[number]!;
            return (
              <td key={number} className={`${align ? 'number-cell ' : ''}${className}`}>
                {cell}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  </table>
);
