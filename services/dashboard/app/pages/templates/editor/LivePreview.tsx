import { type ReactElement, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { TemplateResponse } from '#contracts/http/template-responses.ts';
import { requestBlob } from '../../../api/client.ts';
import { ApiError } from '../../../api/api-error.ts';
import { Loading, Notice } from '../../../components/notices.tsx';
import { PdfView } from '../../../components/PdfView.tsx';
import { Violations } from '../../../components/Violations.tsx';
import { strings } from '../../../strings/strings.ts';
import { type Draft, lacksSample, sampleOf } from '../draft.ts';
import { usePreview } from './use-preview.ts';

const texts = strings.templates.preview;

/** The time from the last change to its preview, for the developer tools of the browser. */
const measureName = 'template preview';

const maxMessages = 3;
/** What is wrong, with the lines in the template. */
const messagesOf = (error: Error): string[] =>
  error instanceof ApiError
    ? error.all
        .slice(0, maxMessages)
        .map(({ line, message }) => (line ? `${strings.common.line(line)}: ${message}` : message))
    : [error.message];

/** The PDF of the draft, drawn anew a moment after each change. */
export const LivePreview = ({ draft }: { draft: Draft }): ReactElement => {
  const { pdf, pages, durationMs, error, isUpdating, changedAt } = usePreview(draft);
  const [drawn, setDrawn] = useState(0);
  const sample = sampleOf(draft);
  const onDrawn = (): void => {
    performance.measure(measureName, { start: changedAt, end: performance.now() });
    setDrawn((count) => count + 1);
  };
  return (
    <div
      className="live-preview"
      data-drawn={drawn}
      data-state={error ? 'failed' : isUpdating ? 'updating' : 'current'}
    >
      {error && (
        <Notice tone="warning" title={pdf ? texts.failed : texts.failedFirst}>
          {'data' in sample && lacksSample(error, sample.data) && <p>{texts.noSample}</p>}
          {messagesOf(error).map((message) => (
            <p key={message}>{message}</p>
          ))}
          {error instanceof ApiError && <Violations error={error.body} />}
        </Notice>
      )}
      {pdf && <PdfView pdf={pdf} label={texts.label} onDrawn={onDrawn} />}
      {!pdf && !error && <Loading />}
      <p className="small muted">
        {isUpdating ? `${texts.updating} · ` : error ? '' : `${texts.pages(pages, durationMs)} · `}
        {texts.notRecorded}
      </p>
    </div>
  );
};

/** The PDF of the stored template with its sample data. */
export const StoredPreview = ({ template }: { template: TemplateResponse }): ReactElement => {
  const { id: templateId, version, sample_data: sample } = template;
  const { data, error } = useQuery({
    queryKey: ['template-preview', templateId, version],
    queryFn: ({ signal }) => versionPdf(templateId, version, signal),
    retry: false,
    staleTime: Infinity,
  });
  if (error)
    return (
      <Notice tone="info" title={texts.none}>
        {lacksSample(error, sample) && <p>{texts.noSample}</p>}
        <p>{error.message}</p>
      </Notice>
    );
  return data ? <PdfView pdf={data} label={texts.label} /> : <Loading />;
};

/** The PDF of a stored version. The browser keeps it and asks whether it is current. */
export const versionPdf = (templateId: string, version: number, signal?: AbortSignal): Promise<Blob> =>
  requestBlob('/api/v1/templates/{id}/versions/{version}/preview', {
    params: { id: templateId, version: String(version) },
    headers: { accept: 'application/pdf' },
    signal,
  });
