import { type ReactElement, useState } from 'react';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { Switch } from '../../components/fields.tsx';
import { PlainTable } from '../../components/PlainTable.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders.options;

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The options of a render: as the request or the template names them, and with all defaults. */
export const OptionsTab = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const { options, all_options: all } = render.request;
  const isOfTemplate = render.mode === 'RENDER';
  const [isShort, setShort] = useState(false);
  const names = Object.keys({ ...all, ...options })
    .filter((name) => !isShort || name in options)
    .toSorted();
  return (
    <div className="stack">
      <Switch label={texts.onlyGiven} isSelected={isShort} onChange={setShort} />
      {names.length === 0 ? (
        <p className="muted">{texts.none}</p>
      ) : (
        <PlainTable
          isSmall
          columns={[
            { header: texts.name, className: 'mono' },
            { header: isOfTemplate ? texts.givenOrTemplate : texts.given },
            { header: texts.used },
          ]}
          rows={names.map((name) => [
            name,
            name in options ? valueText(options[name]) : <span className="muted">{texts.default}</span>,
            valueText(all[name] ?? null),
          ])}
        />
      )}
      <p className="muted small">
        {texts.note} {isOfTemplate && texts.templateNote}
      </p>
    </div>
  );
};
