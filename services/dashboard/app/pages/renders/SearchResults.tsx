import type { ReactElement } from 'react';
import type { SearchHit } from '#contracts/http/search.ts';
import { api } from '../../api/client.ts';
import { useList } from '../../api/cursor-list.ts';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { hrefOfId, Id } from '../../components/Id.tsx';
import { EmptyState } from '../../components/notices.tsx';
import { Badge, StatusBadge } from '../../components/StatusBadge.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders;

const nameOf = ({ type, title }: SearchHit): string => (type === 'render' ? (texts.inputTypes[title] ?? title) : title);

const columns: readonly Column<SearchHit>[] = [
  { key: 'name', header: texts.search.name, width: 'minmax(8rem, 2fr)', cell: nameOf },
  {
    key: 'type',
    header: texts.search.type,
    width: 'minmax(6rem, 1fr)',
    cell: ({ type, status }) => (
      <span className="render-status">
        <Badge tone="info">{texts.search.types[type]}</Badge>
        {status && status in strings.status && <StatusBadge status={status as keyof typeof strings.status} />}
      </span>
    ),
  },
  {
    key: 'matched',
    header: texts.search.matched,
    isHiddenOnTablet: true,
    cell: ({ matched }) => texts.search.matches[matched],
  },
  {
    key: 'id',
    header: texts.fields.id,
    width: '12.5rem',
    isHiddenOnPhone: true,
    cell: ({ id }) => <Id id={id} withoutLink />,
  },
  {
    key: 'created',
    header: texts.fields.created,
    width: '6.5rem',
    align: 'end',
    isHiddenOnPhone: true,
    cell: ({ created_at: time }) => (time === undefined ? '' : <Time time={time} format="relative" />),
  },
];

/** What a text identifies: renders, templates, keys and people. */
export const SearchResults = ({ text }: { text: string }): ReactElement => {
  const list = useList(
    ['search', text],
    async (signal) => (await api.get('/api/v1/search', { query: { q: text, limit: 50 }, signal })).results,
  );
  return (
    <DataTable
      {...list}
      label={texts.search.results}
      columns={columns}
      rowKey={({ id }) => id}
      rowHref={({ id }) => hrefOfId(id)}
      empty={<EmptyState icon="search" title={texts.empty.searchTitle} text={texts.empty.searchText} />}
    />
  );
};
