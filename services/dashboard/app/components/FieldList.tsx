import { Fragment, type ReactElement, type ReactNode } from 'react';

/** Values by their names, in this order. A value that is not there (undefined, null, false, an empty text) has no row. */
export const FieldList = ({ values }: { values: Readonly<Record<string, ReactNode>> }): ReactElement => (
  <dl className="fields">
    {Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
);
