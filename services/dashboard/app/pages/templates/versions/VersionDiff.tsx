import { type ReactElement, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type {
  TemplateResponse,
  TemplateVersionEntry,
  TemplateVersionResponse,
} from '#contracts/http/template-responses.ts';
import { api } from '../../../api/client.ts';
import { Select } from '../../../components/fields.tsx';
import { ErrorNotice, Loading } from '../../../components/notices.tsx';
import { Tabs } from '../../../components/Tabs.tsx';
import { strings } from '../../../strings/strings.ts';
import { PagesDiff } from './PagesDiff.tsx';
import { SourceDiff } from './SourceDiff.tsx';

const texts = strings.templates.versions;

const useVersion = (templateId: string, version: number) =>
  useQuery({
    queryKey: ['template-version', templateId, version],
    queryFn: ({ signal }) =>
      api.get('/api/v1/templates/{template_id}/versions/{version}', {
        params: { template_id: templateId, version: String(version) },
        signal,
      }),
    staleTime: Infinity,
  });

const settingsText = (version: TemplateVersionResponse): string => {
  const { name, description, category, variables, default_options, labels, sample_data } = version;
  return JSON.stringify({ name, description, category, default_options, variables, labels, sample_data }, null, 2);
};

type TextDiffProps = { older: TemplateVersionResponse; newer: TemplateVersionResponse; view: 'source' | 'settings' };

const TextDiff = ({ older, newer, view }: TextDiffProps): ReactElement => {
  const textOf = view === 'source' ? ({ content }: TemplateVersionResponse) => content : settingsText;
  const [before, after] = [textOf(older), textOf(newer)];
  if (before === after) return <p className="muted">{texts.same}</p>;
  return (
    <SourceDiff
      older={before}
      newer={after}
      olderLabel={texts.sourceLabel(texts.number(older.version))}
      newerLabel={texts.sourceLabel(texts.number(newer.version))}
      language={view === 'source' ? 'html' : 'json'}
    />
  );
};

type VersionDiffProps = { template: TemplateResponse; versions: readonly TemplateVersionEntry[] };

/** What differs between two versions: source, settings, and rendered pages. */
export const VersionDiff = ({ template, versions }: VersionDiffProps): ReactElement => {
  const numbers = versions.map(({ version }) => version);
  const [chosen, setChosen] = useState<{ older: number | null; newer: number | null }>({ older: null, newer: null });
  const newerNumber = chosen.newer ?? numbers[0]!;
  const olderNumber = chosen.older ?? numbers.find((number) => number < newerNumber) ?? numbers.at(-1)!;
  const [older, newer] = [useVersion(template.id, olderNumber), useVersion(template.id, newerNumber)];
  const [view, setView] = useState('source');
  const options = numbers.map((number) => ({ value: String(number), label: texts.number(number) }));
  const error = older.error ?? newer.error;
  const changes = versions.find(({ version }) => version === newerNumber)?.changes;
  const both = older.data && newer.data ? { older: older.data, newer: newer.data } : null;
  return (
    <section className="card version-diff" aria-label={texts.compare}>
      <div className="compare-bar">
        <h2>{texts.compare}</h2>
        <Select
          label={texts.older}
          value={String(olderNumber)}
          options={options}
          onChange={(value) => setChosen({ ...chosen, older: Number(value) })}
        />
        <Select
          label={texts.newer}
          value={String(newerNumber)}
          options={options}
          onChange={(value) => setChosen({ older: olderNumber, newer: Number(value) })}
        />
      </div>
      {changes && (
        <p className="version-changes">
          <span className="muted">{texts.changesOf(newerNumber)}</span> <bdi>{changes}</bdi>
        </p>
      )}
      {error ? (
        <ErrorNotice error={error} />
      ) : (
        <Tabs
          label={texts.view}
          selected={view}
          onSelect={setView}
          tabs={[
            {
              id: 'source',
              title: texts.source,
              content: both ? <TextDiff {...both} view="source" /> : <Loading />,
            },
            {
              id: 'pages',
              title: texts.pages,
              content: both ? <PagesDiff {...both} /> : <Loading />,
            },
            {
              id: 'settings',
              title: texts.settings,
              content: both ? <TextDiff {...both} view="settings" /> : <Loading />,
            },
          ]}
        />
      )}
    </section>
  );
};
