import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { CopyButton } from './CopyButton.tsx';
import { Link } from './Link.tsx';

/** The page of an id of the API, such as render_<id>; undefined if ids of this kind have no page. */
export const hrefOfId = (id: string): string | undefined => {
  const kind = /^([a-z]+)_[0-9A-HJKMNP-TV-Z]{26}$/.exec(id)?.[1];
  switch (kind) {
    case 'render':
      return `/renders/${id}`;
    case 'job':
      return `/webhooks/${id}`;
    case 'msg':
      return `/webhooks/job_${id.slice('msg_'.length)}`;
    case 'tpl':
      return `/templates/${id}`;
    case 'key':
      return `/keys/${id}`;
    case 'person':
    case 'inv':
      return `/people?id=${id}`;
    case 'session':
      return '/account';
    case 'acc':
      return `/settings?id=${id}`;
    default:
      return undefined;
  }
};

/** The beginning and the end of a long id; ids of the same days begin alike. */
const shortened = (id: string): string => {
  const at = id.indexOf('_');
  return id.length <= 20 ? id : `${id.slice(0, at + 5)}…${id.slice(-6)}`;
};

export type IdProps = {
  id: string;
  /** Shows the whole id. */
  isLong?: boolean;
  /** Leaves the link out, for example on the page of this id. */
  withoutLink?: boolean;
  /** Leaves the button for copying out, for example in a dense table. */
  withoutCopy?: boolean;
  /** Shows only the end, in a narrow column of ids of one kind. */
  isNarrow?: boolean;
};

/** An id: leads to its page, and can be copied. */
export const Id = ({
  id,
  isLong = false,
  withoutLink = false,
  withoutCopy = false,
  isNarrow = false,
}: IdProps): ReactElement => {
  const href = withoutLink ? undefined : hrefOfId(id);
  const text = isLong ? id : isNarrow ? `…${id.slice(-6)}` : shortened(id);
  return (
    <span className="id" title={id}>
      {href ? (
        <Link href={href} className="id-text link">
          {text}
        </Link>
      ) : (
        <span className="id-text">{text}</span>
      )}
      {!withoutCopy && <CopyButton text={id} label={strings.common.copyId(id)} />}
    </span>
  );
};
