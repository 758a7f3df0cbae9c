import type { ReactElement } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { TemplateSummaryResponse } from '#contracts/http/template-responses.ts';
import { useAllPages } from '../../api/cursor-list.ts';
import { api } from '../../api/client.ts';
import { usePermission } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { optionsOf } from '../../components/fields.tsx';
import { type Filter, FilterBar, useFilters } from '../../components/FilterBar.tsx';
import { Link, LinkButton } from '../../components/Link.tsx';
import { EmptyState, ErrorNotice, Loading } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { TextTooltip } from '../../components/Tooltip.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import '../../styles/templates.css';
import { lacksSample } from './draft.ts';
import { versionPdf } from './editor/LivePreview.tsx';
import { Thumbnail } from './Thumbnail.tsx';

const texts = strings.templates.list;
const pageSize = 100;

const filters: Filter[] = [
  { kind: 'text', name: 'search', label: texts.search },
  {
    kind: 'select',
    name: 'category',
    label: texts.category,
    options: optionsOf(strings.templates.categories),
  },
  {
    kind: 'select',
    name: 'state',
    label: texts.state,
    options: optionsOf(texts.states),
  },
];

const hasState = ({ statistics }: TemplateSummaryResponse, state: string | undefined): boolean => {
  if (state === 'used') return (statistics?.usage_count ?? 0) > 0;
  if (state === 'unused') return (statistics?.usage_count ?? 0) === 0;
  return state !== 'failing' || (statistics?.recent.failed ?? 0) > 0;
};

const FailureRate = ({ statistics }: TemplateSummaryResponse): ReactElement | null => {
  if (!statistics || statistics.recent.renders === 0) return null;
  const { succeeded, failed } = statistics.recent;
  const ended = succeeded + failed;
  if (ended === 0) return null;
  return (
    <TextTooltip text={texts.recent(failed, ended)}>
      <Badge tone={failed === 0 ? 'success' : 'danger'}>
        {failed === 0 ? texts.noFailures : texts.failureRate(failed, ended)}
      </Badge>
    </TextTooltip>
  );
};

/** The list has no sample data, so that the template is asked for. */
const explainFailure = async (id: string, error: unknown, signal: AbortSignal): Promise<string> => {
  if (!lacksSample(error)) return texts.noThumbnail;
  const { sample_data: sample } = await api.get('/api/v1/templates/{template_id}', {
    params: { template_id: id },
    signal,
  });
  return lacksSample(error, sample) ? texts.noSample : texts.noThumbnail;
};

const Card = (template: TemplateSummaryResponse): ReactElement => {
  const { id, name, category, version, statistics } = template;
  return (
    <li className="card template-card">
      <Thumbnail
        key={version}
        name={name}
        load={(signal) => versionPdf(id, version, signal)}
        explain={(error, signal) => explainFailure(id, error, signal)}
      />
      <div className="template-card-text">
        <Link href={`/templates/${id}`} className="template-card-link">
          {name}
        </Link>
        <p className="template-card-badges">
          <Badge>{strings.templates.categories[category]}</Badge>
          <Badge tone="info">{texts.version(version)}</Badge>
          <FailureRate {...template} />
        </p>
        <p className="small muted">
          {statistics?.last_used_at ? (
            <>
              {texts.usedTimes(statistics.usage_count)} · <Time time={statistics.last_used_at} format="relative" />
            </>
          ) : (
            texts.neverUsed
          )}
        </p>
      </div>
    </li>
  );
};

const curl = (): string =>
  `curl -sS --fail-with-body -X POST ${window.location.origin}/api/v1/templates \\\n` +
  `  -H "Authorization: Bearer $COLOPHON_KEY" -H 'Content-Type: application/json' \\\n` +
  `  -d '{"name": "Hello", "content": "<h1>Hello {{name}}</h1>", "sample_data": {"name": "Ada"}}'`;

const newPage = '/templates/new';

/** The templates of the account as cards with their first page. */
export const TemplatesPage = (): ReactElement => {
  const [values, setValues] = useFilters();
  const canWrite = usePermission('templates:write');
  const category = values['category'];
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['templates', 'list', category ?? ''],
    queryFn: ({ pageParam, signal }) =>
      api.get('/api/v1/templates', {
        query: { page: pageParam, limit: pageSize, statistics: 'true', ...(category ? { category } : {}) },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ page, pages }) => (page < pages ? page + 1 : undefined),
  });
  const templates = data?.pages.flatMap((page) => page.templates) ?? [];
  const total = data?.pages[0]?.total ?? 0;
  const search = (values['search'] ?? '').toLocaleLowerCase();
  // The service knows neither filter, so that all templates are needed.
  const isFiltered = search !== '' || Boolean(values['state']);
  useAllPages(isFiltered, hasNextPage && !isFetchingNextPage && !error, () => void fetchNextPage());
  const shown = templates.filter(
    (template) => template.name.toLocaleLowerCase().includes(search) && hasState(template, values['state']),
  );
  const create = canWrite && (
    <LinkButton href={newPage} variant="primary" icon="plus">
      {texts.create}
    </LinkButton>
  );
  const isEmpty = data !== undefined && total === 0 && !category;
  return (
    <>
      <PageHeader title={strings.pages.templates} text={texts.text} actions={!isEmpty && create} />
      {isEmpty ? (
        <div className="card">
          <EmptyState
            icon="templates"
            title={texts.emptyTitle}
            text={texts.emptyText}
            code={curl()}
            action={create || undefined}
          />
        </div>
      ) : (
        <>
          <FilterBar filters={filters} values={values} onChange={setValues} />
          {isPending && <Loading />}
          {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          {data && !(isFiltered && hasNextPage) && shown.length === 0 && (
            <p className="card table-empty muted">{texts.noneFound}</p>
          )}
          <ul className="template-cards">
            {shown.map((template) => (
              <Card key={template.id} {...template} />
            ))}
          </ul>
          {hasNextPage && isFiltered && !error && <Loading />}
          {hasNextPage && !isFiltered && (
            <div className="button-row">
              <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
                {texts.loadMore}
              </Button>
            </div>
          )}
          {data && shown.length > 0 && (
            <p className="table-end" aria-live="polite">
              {texts.count(shown.length, total)}
            </p>
          )}
        </>
      )}
    </>
  );
};
