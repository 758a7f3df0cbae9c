import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { TemplateVersionResponse } from '#contracts/http/template-responses.ts';
import { requestBlob } from '../../../api/client.ts';
import { usePermission } from '../../../api/session.ts';
import { Select, Switch } from '../../../components/fields.tsx';
import { useOpenPdf } from '../../../components/pdf/use-open-pdf.ts';
import { ErrorNotice, Loading } from '../../../components/notices.tsx';
import { strings } from '../../../strings/strings.ts';
import { versionPdf } from '../editor/LivePreview.tsx';
import type { PageImage } from './page-diff.ts';
import { pageCountOf, type PageShare, usePageImages, usePageShares } from './use-page-diffs.ts';

const texts = strings.templates.pages;

/** The PDF of a version. One without sample data is shown with those of the other version, where the role allows it. */
const useVersionPdf = (version: TemplateVersionResponse, other: TemplateVersionResponse) => {
  const canRender = usePermission('render:create');
  const borrowed = version.sample_data === undefined && canRender ? other.sample_data : undefined;
  return useQuery({
    queryKey: ['template-preview', version.template_id, version.version, borrowed ? other.version : null],
    queryFn: ({ signal }) => {
      if (!borrowed) return versionPdf(version.template_id, version.version, signal);
      const { content, variables, default_options, labels } = version;
      const body = { content, variables, default_options, labels, data: borrowed };
      return requestBlob('/api/v1/templates/preview', { body, signal, headers: { accept: 'application/pdf' } }, 'POST');
    },
    retry: false,
    staleTime: Infinity,
  });
};

const PageCanvas = ({ image, label }: { image: PageImage | null; label: string }): ReactElement => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const shown = canvas.current;
    if (!shown || !image) return;
    shown.width = image.width;
    shown.height = image.height;
    shown
      .getContext('2d')!
      .putImageData(new ImageData(new Uint8ClampedArray(image.data), image.width, image.height), 0, 0);
  }, [image]);
  return (
    <figure className="page-image">
      {image ? (
        <canvas ref={canvas} className="pdf-page" role="img" aria-label={label} />
      ) : (
        <p className="page-absent muted">{texts.absent}</p>
      )}
      <figcaption className="small muted">{label}</figcaption>
    </figure>
  );
};

const pageText = ({ page, isIn, share }: PageShare): string => {
  if (isIn === 'both') return texts.share(page, share);
  return isIn === 'newer' ? texts.onlyNewer(page) : texts.onlyOlder(page);
};

type PagesDiffProps = { older: TemplateVersionResponse; newer: TemplateVersionResponse };

/** The pages of two versions side by side, with the changed pixels marked. */
export const PagesDiff = ({ older, newer }: PagesDiffProps): ReactElement => {
  const [before, after] = [useVersionPdf(older, newer), useVersionPdf(newer, older)];
  const [first, second] = [useOpenPdf(before.data), useOpenPdf(after.data)];
  const pair = useMemo(
    () => (first.document && second.document ? ([first.document, second.document] as const) : null),
    [first.document, second.document],
  );
  const pages = usePageShares(pair);
  const [chosen, setChosen] = useState(1);
  const [isMarked, setMarked] = useState(true);
  const images = usePageImages(pair, chosen);
  const failure = before.error ?? after.error ?? first.error ?? second.error;
  if (failure) return <ErrorNotice error={failure} />;
  if (!pair || !images) return <Loading />;
  const total = pageCountOf(pair);
  const numberOf = strings.templates.versions.number;
  return (
    <div className="stack">
      <p aria-live="polite" data-compared={pages.length === total}>
        {pages.length < total
          ? texts.comparing(pages.length, total)
          : texts.summary(pages.filter(({ share }) => share > 0).length, total)}
      </p>
      <div className="compare-bar">
        <Select
          label={texts.choose}
          value={String(chosen)}
          options={pages.map((one) => ({ value: String(one.page), label: pageText(one) }))}
          onChange={(page) => setChosen(Number(page))}
        />
        <Switch label={texts.mark} isSelected={isMarked} onChange={setMarked} />
      </div>
      <div className="page-pair">
        <PageCanvas image={images.older} label={numberOf(older.version)} />
        <PageCanvas image={isMarked ? (images.marked ?? images.newer) : images.newer} label={numberOf(newer.version)} />
      </div>
    </div>
  );
};
