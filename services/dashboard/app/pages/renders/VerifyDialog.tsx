import { type ReactElement, type ReactNode, useEffect } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { RenderDetailResponse, VerificationResponse } from '#contracts/http/render-detail.ts';
import { api } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { formatCount } from '../../components/formats.ts';
import { Id } from '../../components/Id.tsx';
import { ErrorNotice, Loading, Notice } from '../../components/notices.tsx';
import { PlainTable } from '../../components/PlainTable.tsx';
import { Bytes, Count, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders.verify;
const { fields, verifiedSame, verifiedOther } = strings.renders;

type Compared = VerificationResponse['recorded'];

const rows: [string, (pdf: Compared) => ReactNode][] = [
  [fields.sha256, ({ sha256 }) => <Id id={sha256} withoutLink />],
  [fields.size, ({ size_bytes: bytes }) => <Bytes bytes={bytes} />],
  [fields.pages, ({ pages }) => <Count value={pages} />],
  [fields.engine, ({ engine }) => engine],
  [fields.page, ({ page }) => page && `${page.url} (${page.status})`],
];

const Proof = ({ result }: { result: VerificationResponse }): ReactElement => {
  const { matches, recorded, now, first_different_byte: first } = result;
  return (
    <div className="stack">
      <Notice tone={matches ? 'success' : 'warning'} title={matches ? verifiedSame : verifiedOther}>
        <p>{result.explanation}</p>
        {!matches && <p>{first === null ? texts.noFirstDifference : texts.firstDifference(formatCount(first + 1))}</p>}
      </Notice>
      <PlainTable
        isSmall
        columns={[{}, { header: texts.recorded }, { header: texts.now }]}
        rows={rows
          .map(([label, cell]) => [label, cell(recorded), cell(now)])
          .filter(([, before, after]) => Boolean(before ?? after))}
      />
      <p className="muted small">
        {texts.at} <Time time={result.verified_at} />
      </p>
    </div>
  );
};

type VerifyDialogProps = { render: RenderDetailResponse; onClose: () => void };

/** Renders the document again when it opens, and shows whether the bytes are the same. */
export const VerifyDialog = ({ render, onClose }: VerifyDialogProps): ReactElement => {
  const verifying = useMutation({
    mutationFn: () => api.post('/api/v1/renders/{render_id}/verify', { params: { render_id: render.id }, body: {} }),
    onSettled: () => reload('render', render.id),
  });
  useEffect(() => verifying.mutate(), []);
  return (
    <Dialog onClose={onClose} title={texts.title}>
      {verifying.error && <ErrorNotice error={verifying.error} onRetry={() => verifying.mutate()} />}
      {!verifying.data && !verifying.error && (
        <>
          <p role="status">{texts.working}</p>
          <Loading />
        </>
      )}
      {verifying.data && <Proof result={verifying.data} />}
    </Dialog>
  );
};
