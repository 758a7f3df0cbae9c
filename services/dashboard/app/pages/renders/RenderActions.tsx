import { type ReactElement, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { ApiError } from '../../api/api-error.ts';
import { api, requestBlob, saveBlob } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { extensionOf } from '../../components/file-types.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { ErrorNotice } from '../../components/notices.tsx';
import { showError, showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { isPdfKept } from './PdfPanel.tsx';
import { VerifyDialog } from './VerifyDialog.tsx';

const texts = strings.renders;

/** The id of a new render that was accepted but has failed. */
const failedRenderId = (error: unknown): string | null => {
  const id = error instanceof ApiError ? error.body['render_id'] : undefined;
  return typeof id === 'string' ? id : null;
};

const useRepeat = (id: string) => {
  const navigate = useNavigate();
  const open = (renderId: string, title: string, kind: 'success' | 'error'): void => {
    void reload('renders');
    showToast({ title, kind });
    void navigate({ to: `/renders/${renderId}` as never });
  };
  return useMutation({
    mutationFn: () =>
      api.post('/api/v1/renders/{render_id}/repeat', { params: { render_id: id }, body: { keep_pdf: true } }),
    onSuccess: (repeated) => open(repeated.id, texts.repeat.started, 'success'),
    onError: (error) => {
      const renderId = failedRenderId(error);
      if (renderId !== null) open(renderId, texts.repeat.failed, 'error');
    },
  });
};

/** Download, verify and render again. */
export const RenderActions = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const denialReason = useDenialReason('render:create');
  const [isVerifying, setVerifying] = useState(false);
  const repeat = useRepeat(render.id);
  const download = async (): Promise<void> => {
    const file = await requestBlob('/api/v1/renders/{id}/pdf', { params: { id: render.id } });
    saveBlob(file, render.file_name ?? `${render.id}.${extensionOf(render.content_type)}`);
  };
  const repeatError = repeat.error && failedRenderId(repeat.error) === null ? repeat.error : null;
  return (
    <>
      {isPdfKept(render) && (
        <Button icon="download" onPress={() => void download().catch(showError)}>
          {texts.actions.download}
        </Button>
      )}
      <Button
        icon="check"
        onPress={() => setVerifying(true)}
        disabledReason={denialReason ?? (render.status === 'DONE' ? null : texts.actions.notDone)}
      >
        {texts.actions.verify}
      </Button>
      <Button
        variant="primary"
        icon="refresh"
        isPending={repeat.isPending}
        onPress={() => repeat.mutate()}
        disabledReason={denialReason}
      >
        {texts.actions.repeat}
      </Button>
      {isVerifying && <VerifyDialog render={render} onClose={() => setVerifying(false)} />}
      {repeatError && (
        <Dialog onClose={repeat.reset} title={texts.actions.repeat} size="small">
          <ErrorNotice error={repeatError} />
        </Dialog>
      )}
    </>
  );
};
