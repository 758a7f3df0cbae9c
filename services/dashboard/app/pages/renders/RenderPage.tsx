import type { ReactElement } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useTemplateNames } from '../../api/names.ts';
import { useFilters } from '../../components/FilterBar.tsx';
import { Id } from '../../components/Id.tsx';
import { EmptyState, ErrorNotice, Notice, Skeleton } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Badge, StatusBadge } from '../../components/StatusBadge.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { strings } from '../../strings/strings.ts';
import { DiagnosticsTab } from './DiagnosticsTab.tsx';
import { InputTab } from './InputTab.tsx';
import { OptionsTab } from './OptionsTab.tsx';
import { PdfPanel } from './PdfPanel.tsx';
import { RenderActions } from './RenderActions.tsx';
import { Failure, Warnings } from './RenderNotices.tsx';
import { RenderSummary } from './RenderSummary.tsx';
import { RequestTab } from './RequestTab.tsx';
import { Timeline } from './Timeline.tsx';
import { useRenderEvents } from './use-render-events.ts';
import '../../styles/renders.css';

const texts = strings.renders;
const parent = { href: '/renders', title: strings.pages.renders };
const pollMs = 1_000;

const isRunning = (render: RenderDetailResponse | undefined): boolean =>
  render?.status === 'QUEUED' || render?.status === 'PROCESSING';

const Render = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const templateNames = useTemplateNames();
  const [search, setSearch] = useFilters();
  const tabs = [
    { id: 'timeline', title: texts.tabs.timeline, content: <Timeline render={render} /> },
    { id: 'input', title: texts.tabs.input, content: <InputTab render={render} /> },
    { id: 'options', title: texts.tabs.options, content: <OptionsTab render={render} /> },
    { id: 'diagnostics', title: texts.tabs.diagnostics, content: <DiagnosticsTab render={render} /> },
    { id: 'request', title: texts.tabs.request, content: <RequestTab render={render} /> },
  ];
  const selected = tabs.find(({ id }) => id === search['tab'])?.id ?? 'timeline';
  const status = render.status === 'QUEUED' || render.status === 'PROCESSING' ? render.status : null;
  return (
    <>
      <PageHeader
        title={texts.title(render.id)}
        heading={<Id id={render.id} isLong withoutLink />}
        parent={parent}
        badge={
          <>
            <StatusBadge status={render.status} />
            {render.template_test && <Badge tone="neutral">{texts.templateTest}</Badge>}
          </>
        }
        text={render.status === 'DONE' && texts.actions.help}
        actions={<RenderActions render={render} />}
      />
      <div className="stack-lg">
        {status && <Notice tone="info">{texts.states[status]}</Notice>}
        {render.status === 'FAILED' && <Failure render={render} />}
        {render.warnings && render.warnings.length > 0 && <Warnings warnings={render.warnings} />}
        <div className="render-layout">
          <div className="stack-lg">
            <section className="card" aria-label={texts.fields.document}>
              <RenderSummary render={render} templateNames={templateNames} />
            </section>
            <section className="card">
              <Tabs
                label={texts.tabs.label}
                tabs={tabs}
                selected={selected}
                onSelect={(tab) => setSearch({ tab: tab === 'timeline' ? '' : tab })}
              />
            </section>
          </div>
          <section className="card" aria-label={texts.pdf.title}>
            <PdfPanel render={render} />
          </section>
        </div>
      </div>
    </>
  );
};

/** One render: what was asked for, what happened, and the PDF. */
export const RenderPage = (): ReactElement => {
  const { renderId = '' } = useParams({ strict: false });
  useRenderEvents(renderId);
  const { data, error, refetch } = useQuery({
    queryKey: ['render', renderId],
    queryFn: ({ signal }) => api.get('/api/v1/renders/{render_id}', { params: { render_id: renderId }, signal }),
    // Live events can be delayed; a running render is also polled.
    refetchInterval: ({ state }) => (isRunning(state.data) ? pollMs : false),
  });
  if (data) return <Render render={data} />;
  if (error instanceof ApiError && error.error === 'render_not_found')
    return (
      <>
        <PageHeader title={texts.notFoundTitle} parent={parent} />
        <EmptyState icon="search" title={texts.notFoundTitle} text={texts.notFoundText} />
      </>
    );
  return (
    <>
      <PageHeader title={texts.title(renderId)} parent={parent} />
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
    </>
  );
};
