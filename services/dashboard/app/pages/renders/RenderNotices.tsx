import type { ReactElement } from 'react';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { numbered } from '../../components/numbered.ts';
import { Notice } from '../../components/notices.tsx';
import { Violations } from '../../components/Violations.tsx';
import { strings } from '../../strings/strings.ts';
import { useRecordedText } from './use-recorded-texts.ts';

const texts = strings.renders;

const lineOf = ({ error_fields: fields }: RenderDetailResponse): number | null => {
  const line = fields?.['line'];
  return typeof line === 'number' ? line : null;
};

const linesAround = 2;

/** The line of the input that has the error, with the lines around it. */
const InputLines = ({ render, line }: { render: RenderDetailResponse; line: number }): ReactElement | null => {
  const { data } = useRecordedText(render, 'input');
  if (data === undefined || render.mode !== 'CONVERT') return null;
  const lines = data.split(/\r\n|\r|\n/);
  const first = Math.max(0, line - 1 - linesAround);
  return (
    <ol className="input-lines" start={first + 1}>
      {numbered(lines.slice(first, line + linesAround), first + 1).map(({ number, item: text }) => (
        <li key={number} aria-current={number === line} className="mono">
          {text}
        </li>
      ))}
    </ol>
  );
};

/** Why a render has failed, where, and what to do. */
export const Failure = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const { error = '', message, details } = render;
  const line = lineOf(render);
  return (
    <Notice tone="danger" title={texts.failed(error)}>
      <p>{message}</p>
      {render.error_fields && <Violations error={render.error_fields} />}
      {typeof details === 'string' && <p className="mono small">{details}</p>}
      {line !== null && <p>{strings.common.line(line)}</p>}
      {line !== null && <InputLines render={render} line={line} />}
      {texts.remedies[error] && <p className="muted">{texts.remedies[error]}</p>}
    </Notice>
  );
};

/** What to check in the finished PDF. */
export const Warnings = ({ warnings }: { warnings: NonNullable<RenderDetailResponse['warnings']> }): ReactElement => (
  <Notice tone="warning" title={strings.common.warnings(warnings.length)}>
    <ul>
      {numbered(warnings).map(({ number, item: { message } }) => (
        <li key={number}>{message}</li>
      ))}
    </ul>
  </Notice>
);
