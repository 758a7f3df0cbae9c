import type { ReactElement } from 'react';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { ApiError } from '../../api/api-error.ts';
import { requestBlob, saveBlob } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { Id } from '../../components/Id.tsx';
import { JsonView } from '../../components/JsonView.tsx';
import { ErrorNotice, Notice, Skeleton } from '../../components/notices.tsx';
import { showError } from '../../components/Toast.tsx';
import { Bytes } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { type InputPart, isShown, maxShownBytes, useRecordedText } from './use-recorded-texts.ts';

const texts = strings.renders.input;

const parsed = (text: string): unknown => {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
};

const Content = ({ render, part }: { render: RenderDetailResponse; part: InputPart }): ReactElement => {
  const { data, error, refetch } = useRecordedText(render, part);
  if (!isShown(render, part))
    return <p className="muted">{render.request[part]!.size_bytes > maxShownBytes ? texts.large : texts.binary}</p>;
  if (error instanceof ApiError && error.error === 'input_not_available')
    return <Notice tone="info">{texts.lost}</Notice>;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const isJson = part === 'input' && render.request.input.content_type.startsWith('application/json');
  const value = isJson ? parsed(data) : undefined;
  return value === undefined ? <CodeBlock code={data} /> : <JsonView value={value} />;
};

const Part = ({ render, part, title }: { render: RenderDetailResponse; part: InputPart; title?: string }) => {
  const recorded = render.request[part];
  if (!recorded) return null;
  const { content_type: type, size_bytes: bytes, sha256, file_name: fileName } = recorded;
  const save = async (): Promise<void> => {
    const blob = await requestBlob('/api/v1/renders/{id}/input', { params: { id: render.id }, query: { part } });
    saveBlob(blob, fileName ?? `${render.id}-${part}`);
  };
  return (
    <section className="stack" aria-label={title ?? strings.renders.tabs.input}>
      {title && <h3>{title}</h3>}
      <FieldList
        values={{
          [texts.file]: fileName,
          [texts.type]: type,
          [strings.renders.fields.size]: <Bytes bytes={bytes} />,
          [strings.renders.fields.sha256]: <Id id={sha256} withoutLink />,
        }}
      />
      {render.input_type === 'url' && part === 'input' && <p className="muted">{texts.url}</p>}
      <Content render={render} part={part} />
      <div>
        <Button icon="download" size="small" onPress={() => void save().catch(showError)}>
          {texts.download(part)}
        </Button>
      </div>
    </section>
  );
};

type PartFields = { mode?: string; input_type?: string; template_id?: string; title?: string; data?: unknown };

const partName = ({ mode, input_type: inputType = '', template_id: templateId }: PartFields): string => {
  if (mode === 'PDF') return texts.existingPdf;
  return templateId ?? strings.renders.inputTypes[inputType] ?? inputType;
};

/** The parts of a composed document, each with what it is made of. */
const ComposedParts = ({ render }: { render: RenderDetailResponse }): ReactElement | null => {
  const { data } = useRecordedText(render, 'input');
  const recorded = data === undefined ? undefined : (parsed(data) as { parts?: PartFields[] } | undefined);
  if (!recorded?.parts) return null;
  return (
    <section className="stack" aria-label={texts.parts}>
      <h3>{texts.parts}</h3>
      <ol>
        {recorded.parts
          .map((part, index) => ({ part, number: index + 1 }))
          .map(({ part, number }) => (
            <li key={number}>
              {part.title ?? texts.part(number)} <span className="muted">{partName(part)}</span>
            </li>
          ))}
      </ol>
    </section>
  );
};

/** What was sent: the document or data, header and footer. */
export const InputTab = ({ render }: { render: RenderDetailResponse }): ReactElement => (
  <div className="stack-lg">
    {render.mode === 'COMPOSE' && <ComposedParts render={render} />}
    <Part render={render} part="input" />
    <Part render={render} part="header" title={texts.header} />
    <Part render={render} part="footer" title={texts.footer} />
    {render.request.assets && (
      <p>
        {texts.assets}: <Bytes bytes={render.request.assets.size_bytes} />
      </p>
    )}
  </div>
);
