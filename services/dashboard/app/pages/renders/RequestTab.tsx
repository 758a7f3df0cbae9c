import type { ReactElement } from 'react';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { CodeTabs } from '../../components/CodeBlock.tsx';
import { strings } from '../../strings/strings.ts';
import { curlOf, maxInlineCharacters, repeatCurlOf, verifyCurlOf } from './curl.ts';
import { useRecordedText } from './use-recorded-texts.ts';

const texts = strings.renders.request;

/** The recorded request as commands. */
export const RequestTab = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const [input, header, footer] = [
    useRecordedText(render, 'input'),
    useRecordedText(render, 'header'),
    useRecordedText(render, 'footer'),
  ];
  const { origin } = window.location;
  const recorded = { input: input.data ?? null, header: header.data ?? null, footer: footer.data ?? null };
  const isLong = recorded.input === null || recorded.input.length > maxInlineCharacters;
  return (
    <div className="stack">
      <p className="muted">
        {texts.note} {render.mode === 'RENDER' && texts.templateOptions}
      </p>
      {isLong && <p className="muted">{texts.long}</p>}
      <CodeTabs
        label={texts.label}
        samples={[
          { name: texts.curl, code: curlOf(render, recorded, origin) },
          { name: texts.repeat, code: repeatCurlOf(render, origin) },
          { name: strings.renders.actions.verify, code: verifyCurlOf(render, origin) },
        ]}
      />
    </div>
  );
};
