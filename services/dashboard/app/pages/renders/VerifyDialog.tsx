import { type ReactElement, type ReactNode, useEffect } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { RenderDetailResponse, VerificationResponse } from '#contracts/http/render-detail.ts';
import { api } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { Id } from '../../components/Id.tsx';
import { ErrorNotice, Loading, Notice } from '../../components/notices.tsx';
import { Bytes, Count, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders.verify;

type Compared = VerificationResponse['recorded'];

const rows: [string, (pdf: Compared) => ReactNode][] = [
  [texts.sha256, ({ sha256 }) => <Id id={sha256} withoutLink />],
  [texts.size, ({ size_bytes: bytes }) => <Bytes bytes={bytes} />],
  [texts.pages, ({ pages }) => <Count value={pages} />],
  [texts.engine, ({ engine }) => engine],
  [texts.page, ({ page }) => page && `${page.url} (${page.status})`],
];

const Proof = ({ result }: { result: VerificationResponse }): ReactElement => {
  const { matches, recorded, now, first_different_byte: first } = result;
  return (
    <div className="stack">
      <Notice tone={matches ? 'success' : 'warning'} title={matches ? texts.same : texts.other}>
        <p>{result.explanation}</p>
        {!matches && (
          <p>{first === null ? texts.noFirstDifference : texts.firstDifference((first + 1).toLocaleString())}</p>
        )}
      </Notice>
      <table className="compare-table">
        <thead>
          <tr>
            <td />
            <th scope="col">{texts.recorded}</th>
            <th scope="col">{texts.now}</th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(([, cell]) => Boolean(cell(recorded) ?? cell(now)))
            .map(([label, cell]) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{cell(recorded)}</td>
                <td>{cell(now)}</td>
              </tr>
            ))}
        </tbody>
      </table>
      <p className="muted small">
        {texts.at} <Time time={result.verified_at} />
      </p>
    </div>
  );
};

/** Renders the document again when it opens, and shows whether the bytes are the same. */
export const VerifyDialog = ({
  render,
  onClose,
}: {
  render: RenderDetailResponse;
  onClose: () => void;
}): ReactElement => {
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
