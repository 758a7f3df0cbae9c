import PQueue from 'p-queue';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Icon } from '../../components/Icon.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.templates.list;

/** As many previews at once as the service makes for an account. */
const queue = new PQueue({ concurrency: 2 });

const width = 220;

type ThumbnailProps = {
  name: string;
  load: ((signal: AbortSignal) => Promise<Blob>) | null;
  /** A sentence about an error of `load`. */
  explain?: (error: unknown, signal: AbortSignal) => Promise<string>;
};

/** The first page of a PDF that `load` gets, drawn when it comes into view. Null: the role cannot make it. */
export const Thumbnail = ({ name, load, explain }: ThumbnailProps): ReactElement => {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<'waiting' | 'drawn' | 'failed'>('waiting');
  const [reason, setReason] = useState(texts.noThumbnail);
  useEffect(() => {
    if (!load) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const draw = async (): Promise<void> => {
      try {
        const [pdf, { drawPage, openPdf }] = await Promise.all([
          load(signal),
          import('../../components/pdf/open-pdf.ts'),
        ]);
        const { document, close } = await openPdf(pdf);
        try {
          if (canvas.current && !signal.aborted) await drawPage(document, 1, canvas.current, width);
        } finally {
          close();
        }
        if (!signal.aborted) setState('drawn');
      } catch (error) {
        const explained = await explain?.(error, signal).catch(() => undefined);
        if (signal.aborted) return;
        if (explained !== undefined) setReason(explained);
        setState('failed');
      }
    };
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        // Rejects if the thumbnail is gone before its turn.
        queue.add(draw, { signal }).catch(() => undefined);
      },
      { rootMargin: '200px' },
    );
    observer.observe(frame.current!);
    return () => {
      observer.disconnect();
      controller.abort();
    };
  }, []);
  return (
    <div className="thumbnail" ref={frame} data-state={load ? state : 'none'}>
      {!load || state === 'failed' ? (
        <p className="thumbnail-none small muted">
          <Icon name="templates" size={22} />
          {load ? reason : texts.mayNotPreview}
        </p>
      ) : (
        <canvas ref={canvas} role="img" aria-label={texts.thumbnail(name)} />
      )}
    </div>
  );
};
