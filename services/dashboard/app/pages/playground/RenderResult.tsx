import { type ReactElement, type RefObject, useEffect, useMemo, useRef } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { saveBlob } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { formatBytes, formatCount, formatDuration } from '../../components/formats.ts';
import { Link } from '../../components/Link.tsx';
import { EmptyState, Loading, Notice } from '../../components/notices.tsx';
import { extensionOf } from '../../components/file-types.ts';
import { FileView } from '../../components/FileView.tsx';
import { firstRenderCommand } from '../../components/first-render.ts';
import { Violations } from '../../components/Violations.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.playground;

export type RenderedDocument = {
  id: string;
  pdf_base64?: string;
  /** Images, in place of a PDF. */
  file_base64?: string;
  content_type?: string;
  file_name?: string;
  pages: number;
  duration_ms: number;
  warnings?: readonly { message: string }[];
};

const fileOf = ({ pdf_base64, file_base64, content_type: type = 'application/pdf' }: RenderedDocument): Blob =>
  new Blob([Uint8Array.from(atob(file_base64 ?? pdf_base64 ?? ''), (character) => character.charCodeAt(0))], { type });

const RenderError = ({ error }: { error: Error }): ReactElement => (
  <Notice tone="danger" title={texts.errorTitle}>
    <ul className="plain-list">
      {(error instanceof ApiError ? error.all : [{ error: '', message: error.message }]).map((one) => (
        <li key={`${one.field ?? ''} ${one.message}`}>
          {'line' in one && one.line !== undefined && <strong>{strings.common.line(one.line)}: </strong>}
          {one.message}
          <Violations error={one} />
        </li>
      ))}
    </ul>
    {error instanceof ApiError && typeof error.body['render_id'] === 'string' && (
      <p>
        <Link href={`/renders/${error.body['render_id']}`}>{texts.details}</Link>
      </p>
    )}
  </Notice>
);

type RenderedProps = { rendered: RenderedDocument; password: string | undefined };

const Rendered = ({ rendered, password }: RenderedProps): ReactElement => {
  const file = useMemo(() => fileOf(rendered), [rendered]);
  const facts = [
    [texts.pages, formatCount(rendered.pages)],
    [texts.size, formatBytes(file.size)],
    [texts.time, formatDuration(rendered.duration_ms)],
  ];
  return (
    <div className="stack">
      <div className="playground-facts">
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <div className="row">
          <Button
            icon="download"
            size="small"
            onPress={() => saveBlob(file, rendered.file_name ?? `${rendered.id}.${extensionOf(file.type)}`)}
          >
            {strings.common.download}
          </Button>
          <Link href={`/renders/${rendered.id}`}>{texts.details}</Link>
        </div>
      </div>
      {rendered.warnings && rendered.warnings.length > 0 && (
        <Notice tone="warning" title={strings.common.warnings(rendered.warnings.length)}>
          <ul className="plain-list">
            {rendered.warnings.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </Notice>
      )}
      <FileView file={file} label={texts.result} password={password} />
    </div>
  );
};

type RenderResultProps = {
  rendered: RenderedDocument | undefined;
  error: Error | null;
  isRendering: boolean;
  /** Opens the PDF, if it is encrypted. */
  password: string | undefined;
};

/** Scrolls to the result of each new render, unless its beginning is in view: below a long form it is not. */
const useResultInView = (result: RefObject<HTMLElement | null>, isRendering: boolean): void => {
  const wasRendering = useRef(false);
  useEffect(() => {
    const hasEnded = wasRendering.current && !isRendering;
    wasRendering.current = isRendering;
    if (!hasEnded || !result.current) return;
    const { top } = result.current.getBoundingClientRect();
    const topBar = Number.parseFloat(getComputedStyle(result.current).scrollMarginTop);
    if (top >= topBar && top < window.innerHeight / 2) return;
    const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    result.current.scrollIntoView({ behavior: isCalm ? 'auto' : 'smooth' });
  }, [result, isRendering]);
};

/** The PDF or images with figures and warnings, or why there is none. The focus stays where the person writes. */
export const RenderResult = ({ rendered, error, isRendering, password }: RenderResultProps): ReactElement => {
  const section = useRef<HTMLElement>(null);
  useResultInView(section, isRendering);
  return (
    <section className="card playground-result" aria-label={texts.result} aria-busy={isRendering} ref={section}>
      {isRendering && <Loading label={texts.rendering} />}
      {!isRendering && error && <RenderError error={error} />}
      <p className="visually-hidden" role="status">
        {!isRendering && !error && rendered && texts.ready(rendered.pages)}
      </p>
      {!isRendering && !error && rendered && <Rendered rendered={rendered} password={password} />}
      {!isRendering && !error && !rendered && (
        <EmptyState title={texts.emptyTitle} text={texts.emptyText} code={firstRenderCommand()} />
      )}
    </section>
  );
};
