import { type ReactElement, type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { RenderDetailResponse, RenderDiagnosticsResponse } from '#contracts/http/render-detail.ts';
import { api } from '../../api/client.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { formatCount } from '../../components/formats.ts';
import { numbered } from '../../components/numbered.ts';
import { ErrorNotice, Loading, Notice, Skeleton } from '../../components/notices.tsx';
import { PlainTable } from '../../components/PlainTable.tsx';
import { Badge, type BadgeTone } from '../../components/StatusBadge.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders.diagnostics;

type Diagnostics = NonNullable<RenderDiagnosticsResponse['diagnostics']>;
type Message = NonNullable<Diagnostics['console']>[number];

const levelTones: Record<Message['level'], BadgeTone> = {
  debug: 'neutral',
  info: 'info',
  warning: 'warning',
  error: 'danger',
};

const Part = ({ title, children }: { title: string; children: ReactNode }): ReactElement => (
  <section className="stack" aria-label={title}>
    <h3>{title}</h3>
    {children}
  </section>
);

const Console = ({ diagnostics }: { diagnostics: Diagnostics }): ReactElement => {
  const { console: messages = [], omitted_messages: omitted = 0 } = diagnostics;
  return (
    <Part title={texts.console}>
      {messages.length === 0 ? (
        <p className="muted">{texts.noConsole}</p>
      ) : (
        <ol className="console-list">
          {numbered(messages).map(({ number, item: { level, text } }) => (
            <li key={number}>
              <Badge tone={levelTones[level]}>{level}</Badge>
              <span>{text}</span>
            </li>
          ))}
        </ol>
      )}
      {omitted > 0 && <p className="muted">{texts.omitted(omitted)}</p>}
    </Part>
  );
};

const Fonts = ({ fonts }: { fonts: NonNullable<Diagnostics['fonts']> }): ReactElement => (
  <Part title={texts.fonts}>
    <PlainTable
      isSmall
      columns={[{ header: texts.font }, { header: texts.source }, { header: texts.glyphs, className: 'number' }]}
      rows={fonts.used.map(({ family, embedded, glyphs }) => [
        family,
        embedded ? texts.embedded : texts.installed,
        formatCount(glyphs),
      ])}
    />
    {fonts.missing.length > 0 && (
      <Notice tone="warning" title={texts.missing}>
        <ul>
          {fonts.missing.map(({ family, substitutes }) => (
            <li key={family}>
              {family}: {texts.substitutes(substitutes.join(', '))}
            </li>
          ))}
        </ul>
      </Notice>
    )}
  </Part>
);

const Resources = ({ resources }: { resources: NonNullable<Diagnostics['failed_resources']> }): ReactElement => (
  <Part title={texts.resources}>
    {resources.length === 0 ? (
      <p className="muted">{texts.noResources}</p>
    ) : (
      <PlainTable
        isSmall
        columns={[{ className: 'mono' }, {}]}
        rows={resources.map(({ url, reason }) => [url, reason])}
      />
    )}
  </Part>
);

/** Timings, render mode and failed resources of the record; messages and fonts of a second rendering. */
export const DiagnosticsTab = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const denialReason = useDenialReason('render:create');
  const [rerenders, setRerenders] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['render', render.id, 'diagnostics', render.status, rerenders],
    queryFn: ({ signal }) =>
      api.get('/api/v1/renders/{render_id}/diagnostics', {
        params: { render_id: render.id },
        query: rerenders ? { rerender: 'true' } : {},
        signal,
      }),
    placeholderData: (before) => before,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={5} />;
  const { diagnostics, rendered_again: isRenderedAgain } = data;
  const isCollecting = rerenders && isFetching && !isRenderedAgain;
  if (!diagnostics) return <p className="muted">{texts.notEnded}</p>;
  return (
    <div className="stack-lg">
      <FieldList
        values={{
          [strings.renders.fields.mode]: diagnostics.render_mode ?? strings.common.none,
          [texts.reason]: diagnostics.render_mode_reason,
        }}
      />
      {diagnostics.failed_resources && <Resources resources={diagnostics.failed_resources} />}
      {!isRenderedAgain && (
        <Notice
          tone="info"
          actions={
            <Button
              size="small"
              isDisabled={isCollecting}
              onPress={() => (rerenders ? void refetch() : setRerenders(true))}
              disabledReason={denialReason}
            >
              {texts.rerender}
            </Button>
          }
        >
          {diagnostics.pending && !isCollecting ? texts.pending : texts.notRendered}
        </Notice>
      )}
      {isCollecting && <Loading />}
      {isRenderedAgain && diagnostics.same_bytes === false && <Notice tone="warning">{texts.otherBytes}</Notice>}
      {isRenderedAgain && diagnostics.error && render.status === 'DONE' && (
        <Notice tone="warning">{`${texts.error}: ${diagnostics.error}`}</Notice>
      )}
      {isRenderedAgain && <Console diagnostics={diagnostics} />}
      {diagnostics.fonts && <Fonts fonts={diagnostics.fonts} />}
    </div>
  );
};
