import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { strings } from '../../strings/strings.ts';
import { IconButton } from '../Button.tsx';
import { EmptyState, ErrorNotice, Loading } from '../notices.tsx';
import { drawPage } from './open-pdf.ts';
import { useOpenPdf } from './use-open-pdf.ts';

export type PdfViewProps = {
  /** The PDF; a new object shows a new document. */
  pdf: Blob;
  /** The name for screen readers. */
  label: string;
  /** For an encrypted PDF, in the form of `preparePdfPassword`. */
  password?: string | undefined;
  /** Called each time a page is on the screen. */
  onDrawn?: () => void;
};

/** On both sides together, in pixels. */
const framePadding = 24;
const zooms = [0.5, 0.75, 1, 1.5, 2] as const;

type PageProps = {
  document: PDFDocumentProxy;
  page: number;
  zoom: number;
  label: string;
  onDrawn: (() => void) | undefined;
};

const Page = ({ document, page, zoom, label, onDrawn }: PageProps) => {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isCurrent = true;
    const width = Math.max(
      120,
      ((frame.current?.clientWidth ?? 600) - framePadding) * Math.min(zoom, 1) * Math.max(zoom, 1),
    );
    const draft = window.document.createElement('canvas');
    void drawPage(document, page, draft, width).then(
      () => {
        const shown = canvas.current;
        if (!isCurrent || !shown) return;
        shown.width = draft.width;
        shown.height = draft.height;
        shown.style.width = `${width}px`;
        shown.getContext('2d')?.drawImage(draft, 0, 0);
        shown.dataset.drawnPage = String(page);
        onDrawn?.();
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [document, page, zoom]);
  return (
    <div className="pdf-frame" ref={frame} tabIndex={0} role="region" aria-label={label}>
      <canvas
        ref={canvas}
        className="pdf-page"
        role="img"
        aria-label={`${label}, ${strings.common.page(page, document.numPages)}`}
      />
    </div>
  );
};

/** The pages of a PDF, one at a time. While a new document is drawn, the old page stays. */
export const PdfPages = ({ pdf, label, password, onDrawn }: PdfViewProps): ReactElement => {
  const { document, error } = useOpenPdf(pdf, password);
  const [page, setPage] = useState(1);
  const [zoom, setZoom] = useState(2);
  if (error instanceof Error && error.name === 'PasswordException')
    return <EmptyState title={strings.common.encryptedPdf} text={strings.common.encryptedPdfText} />;
  if (error !== null) return <ErrorNotice error={error} />;
  if (!document) return <Loading />;
  const shownPage = Math.min(page, document.numPages);
  return (
    <div className="pdf">
      <div className="pdf-bar">
        <IconButton
          icon="chevronLeft"
          label={strings.common.previousPage}
          isDisabled={shownPage <= 1}
          onPress={() => setPage(shownPage - 1)}
        />
        <span className="small number" aria-live="polite">
          {strings.common.page(shownPage, document.numPages)}
        </span>
        <IconButton
          icon="chevronRight"
          label={strings.common.nextPage}
          isDisabled={shownPage >= document.numPages}
          onPress={() => setPage(shownPage + 1)}
        />
        <span className="pdf-space" />
        <IconButton
          icon="minus"
          label={strings.common.zoomOut}
          isDisabled={zoom === 0}
          onPress={() => setZoom(zoom - 1)}
        />
        <span className="small number">{Math.round(zooms[zoom]! * 100)} %</span>
        <IconButton
          icon="plus"
          label={strings.common.zoomIn}
          isDisabled={zoom === zooms.length - 1}
          onPress={() => setZoom(zoom + 1)}
        />
      </div>
      <Page document={document} page={shownPage} zoom={zooms[zoom]!} label={label} onDrawn={onDrawn} />
    </div>
  );
};
