import { type ReactElement, useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { api, requestBlob } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState, ErrorNotice, Loading, Notice } from '../../components/notices.tsx';
import { FileView } from '../../components/FileView.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders.pdf;

/** The stored PDF of a render; its bytes never change. */
const usePdf = (render: RenderDetailResponse, isKept: boolean) =>
  useQuery({
    queryKey: ['pdf', render.id, render.pdf_expires_at],
    queryFn: ({ signal }) => requestBlob('/api/v1/renders/{id}/pdf', { params: { id: render.id }, signal }),
    staleTime: Infinity,
    enabled: isKept,
  });

export const isPdfKept = ({ pdf_url: url, pdf_expires_at: end }: RenderDetailResponse): boolean =>
  url !== undefined && end !== undefined && Date.parse(end) > Date.now();

/** Makes a PDF again that is not kept: the verification keeps it if it has the recorded bytes. */
const MakeAgain = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const denialReason = useDenialReason('render:create');
  const [isOther, setOther] = useState(false);
  const making = useMutation({
    mutationFn: () =>
      api.post('/api/v1/renders/{render_id}/verify', { params: { render_id: render.id }, body: { keep_pdf: true } }),
    onSuccess: ({ matches }) => {
      setOther(!matches);
      return reload('render', render.id);
    },
  });
  if (isOther) return <Notice tone="warning">{texts.otherBytes}</Notice>;
  return (
    <div className="stack">
      <EmptyState
        icon="renders"
        title={texts.notKeptTitle}
        text={texts.notKeptText}
        action={
          <Button
            icon="refresh"
            isPending={making.isPending}
            onPress={() => making.mutate()}
            disabledReason={denialReason}
          >
            {texts.make}
          </Button>
        }
      />
      {making.error && <ErrorNotice error={making.error} />}
    </div>
  );
};

/** The pages of the PDF, or the images, or why there are none. */
export const PdfPanel = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const isKept = isPdfKept(render);
  const { data, error, refetch } = usePdf(render, isKept);
  if (render.status === 'FAILED') return <p className="muted">{texts.none}</p>;
  if (render.status !== 'DONE') return <p className="muted">{texts.later}</p>;
  if (!isKept) return <MakeAgain render={render} />;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return data ? <FileView file={data} label={texts.label(render.id)} /> : <Loading />;
};
