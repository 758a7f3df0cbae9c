import type { ReactElement } from 'react';
import type { RenderRecordResponse } from '#contracts/http/renders.ts';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders;

type Document = Pick<
  RenderRecordResponse,
  'input_type' | 'parts' | 'url' | 'template_id' | 'template_version' | 'file_name'
>;

/** What was rendered, in words. `templateNames` has the names of templates by id. */
export const documentText = (render: Document, templateNames: ReadonlyMap<string, string>): string => {
  const { input_type: inputType, template_id: templateId, template_version: version } = render;
  if (templateId !== undefined)
    return texts.templateVersion(templateNames.get(templateId) ?? texts.template, version ?? 1);
  if (render.parts !== undefined) return texts.composition(render.parts);
  return texts.inputTypes[inputType ?? ''] ?? inputType ?? '';
};

type DocumentNameProps = { render: Document; templateNames: ReadonlyMap<string, string> };

/** What was rendered, and the name of its file or the address of its page. */
export const DocumentName = ({ render, templateNames }: DocumentNameProps): ReactElement => {
  const detail = render.url ?? render.file_name;
  return (
    <span className="render-document">
      <span dir="auto">{documentText(render, templateNames)}</span>
      {detail && (
        <span className="muted small" dir="auto">
          {detail}
        </span>
      )}
    </span>
  );
};
