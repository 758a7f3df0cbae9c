import { type ReactElement, useMemo, useState } from 'react';
import type { RenderRecordResponse } from '#contracts/http/renders.ts';
import { api } from '../../api/client.ts';
import { useCursorList } from '../../api/cursor-list.ts';
import { useTemplateNames } from '../../api/names.ts';
import { queryClient, reload } from '../../api/queries.ts';
import { ActorName } from '../../components/ActorName.tsx';
import { Button } from '../../components/Button.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { FilterBar, type FilterValues, useFilters } from '../../components/FilterBar.tsx';
import { firstRenderCommand } from '../../components/first-render.ts';
import { Id } from '../../components/Id.tsx';
import { EmptyState } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Badge, StatusBadge } from '../../components/StatusBadge.tsx';
import { Count, Duration, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { DocumentName } from './DocumentName.tsx';
import { filterNames, hasMoreFilters, useRenderFilters, withoutSecret } from './render-filters.ts';
import { SearchResults } from './SearchResults.tsx';
import { useNewRenders } from './use-render-events.ts';
import '../../styles/renders.css';

const texts = strings.renders;
const pageSize = 100;

const columns = (templateNames: ReadonlyMap<string, string>): Column<RenderRecordResponse>[] => [
  {
    key: 'document',
    header: texts.fields.document,
    width: 'minmax(8rem, 1.45fr)',
    cell: (render) => (
      <>
        <DocumentName render={render} templateNames={templateNames} />
        {render.template_test && <Badge tone="neutral">{texts.templateTest}</Badge>}
      </>
    ),
  },
  {
    key: 'status',
    header: texts.fields.status,
    width: 'minmax(5.75rem, var(--render-status-width))',
    cell: ({ status, error }) => (
      <span className="render-status">
        <StatusBadge status={status} />
        {error && <span className="small mono render-error wide-only">{error}</span>}
      </span>
    ),
  },
  {
    key: 'by',
    header: texts.fields.requestedBy,
    isHiddenOnPhone: true,
    cell: ({ requested_by: actor }) => <ActorName actor={actor} />,
  },
  {
    key: 'id',
    header: texts.fields.id,
    width: '11.25rem',
    isHiddenOnTablet: true,
    cell: ({ id }) => <Id id={id} withoutLink />,
  },
  {
    key: 'pages',
    header: texts.fields.pages,
    width: '3.5rem',
    align: 'end',
    isHiddenOnTablet: true,
    cell: ({ pages }) => (pages === undefined ? '' : <Count value={pages} />),
  },
  {
    key: 'duration',
    header: texts.fields.duration,
    width: '5rem',
    align: 'end',
    isHiddenOnPhone: true,
    cell: ({ duration_ms: ms }) => (ms === undefined ? '' : <Duration ms={ms} />),
  },
  {
    key: 'created',
    header: texts.fields.created,
    width: '6.5rem',
    align: 'end',
    isDetailOnPhone: true,
    cell: ({ created_at: time }) => <Time time={time} format="relative" />,
  },
];

const queryOf = (values: FilterValues) => Object.fromEntries(filterNames.map((name) => [name, values[name]]));

const RenderList = ({ values }: { values: FilterValues }): ReactElement => {
  const templateNames = useTemplateNames();
  const shownColumns = useMemo(() => columns(templateNames), [templateNames]);
  const query = queryOf(values);
  const queryKey = ['renders', query];
  const list = useCursorList(queryKey, 'renders', (cursor, signal) =>
    api.get('/api/v1/renders', { query: { ...query, limit: pageSize, cursor }, signal }),
  );
  const isAtTop = list.rows.length <= pageSize && window.scrollY < pageSize;
  const isFiltered = filterNames.some((name) => values[name]);
  const loadNewest = async (): Promise<string[]> => {
    const { renders } = await api.get('/api/v1/renders', { query: { ...query, limit: pageSize } });
    return renders.map(({ id }) => id);
  };
  const newest = { first: list.rows[0]?.id, loadNewest: isFiltered ? loadNewest : null };
  const [newRenders, reset] = useNewRenders(newest, isAtTop, () => void reload(...queryKey));
  const showNew = (): void => {
    reset();
    window.scrollTo({ top: 0 });
    void queryClient.resetQueries({ queryKey });
  };
  return (
    <>
      <div className="render-new" role="status">
        {newRenders > 0 && (
          <Button size="small" icon="refresh" onPress={showNew}>
            {texts.newRows(newRenders)}
          </Button>
        )}
      </div>
      <DataTable
        {...list}
        label={strings.pages.renders}
        columns={shownColumns}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/renders/${id}`}
        empty={
          isFiltered ? (
            <EmptyState icon="filter" title={texts.empty.filteredTitle} text={strings.common.changeFilters} />
          ) : (
            <EmptyState icon="renders" title={texts.empty.title} text={texts.empty.text} code={firstRenderCommand()} />
          )
        }
      />
    </>
  );
};

/** All renders of the account. */
export const RendersPage = (): ReactElement => {
  const [values, setValues] = useFilters();
  const [isExpanded, setExpanded] = useState(() => hasMoreFilters(values));
  const filters = useRenderFilters(values, isExpanded);
  const search = values['q'] ?? '';
  const change = (changes: FilterValues): void =>
    setValues(changes['q'] === undefined ? changes : { ...changes, q: withoutSecret(changes['q']) });
  return (
    <>
      <PageHeader title={strings.pages.renders} text={texts.text} />
      <FilterBar filters={filters} values={values} onChange={change}>
        <Button variant="quiet" icon="filter" aria-expanded={isExpanded} onPress={() => setExpanded(!isExpanded)}>
          {isExpanded ? texts.filters.fewer : texts.filters.more}
        </Button>
      </FilterBar>
      {search.length >= 2 ? <SearchResults text={search} /> : <RenderList values={values} />}
    </>
  );
};
