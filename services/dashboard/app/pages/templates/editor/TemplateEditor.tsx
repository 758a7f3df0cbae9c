import { type ReactElement, Suspense, useState } from 'react';
import { lazyComponent } from '../../../api/load-code.ts';
import type { TemplateIssue, TemplateResponse } from '#contracts/http/template-responses.ts';
import { usePermission } from '../../../api/session.ts';
import { optionsOf, Select, TextField } from '../../../components/fields.tsx';
import { JsonView } from '../../../components/JsonView.tsx';
import { Loading } from '../../../components/notices.tsx';
import { Badge } from '../../../components/StatusBadge.tsx';
import { type TabItem, Tabs } from '../../../components/Tabs.tsx';
import { useMedia } from '../../../components/use-media.ts';
import { strings } from '../../../strings/strings.ts';
import type { Category, EditProps } from '../draft.ts';
import { LabelsEditor } from './LabelsEditor.tsx';
import { LivePreview, StoredPreview } from './LivePreview.tsx';
import { OptionsForm } from './OptionsForm.tsx';
import { schemaOf } from './sample-schema.ts';
import { VariablesEditor } from './VariablesEditor.tsx';

const texts = strings.templates.editor;
const categories = optionsOf<Category>(strings.templates.categories);

const HtmlCode = lazyComponent(() => import('./TemplateCode.tsx'), 'HtmlCode');
const SampleCode = lazyComponent(() => import('./TemplateCode.tsx'), 'SampleCode');

/** From this width on the preview is beside the editor. */
const wide = '(width >= 64rem)';

const Issues = ({ issues }: { issues: TemplateIssue[] | null }): ReactElement => {
  if (issues === null) return <p className="small muted">{texts.checkFailed}</p>;
  if (issues.length === 0) return <p className="small muted">{texts.noProblems}</p>;
  return (
    <details className="issues">
      <summary>
        <Badge tone={issues.some(({ type }) => type !== 'missing_variable') ? 'danger' : 'warning'}>
          {texts.problems(issues.length)}
        </Badge>
      </summary>
      <ul>
        {issues.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line !== undefined && <strong>{strings.common.line(line)}: </strong>}
            {message}
          </li>
        ))}
      </ul>
    </details>
  );
};

/** As high as the editor, so that nothing moves when the editor appears. */
const CodeLoading = (): ReactElement => (
  <div className="code-editor">
    <Loading />
  </div>
);

const HtmlPart = (props: EditProps): ReactElement => {
  const [issues, setIssues] = useState<TemplateIssue[] | null>([]);
  return (
    <div className="stack-sm">
      <Suspense fallback={<CodeLoading />}>
        <HtmlCode {...props} onIssues={setIssues} />
      </Suspense>
      <div className="code-status" aria-live="polite">
        {!props.isReadOnly && <Issues issues={issues} />}
        <p className="small muted">{texts.keys}</p>
      </div>
    </div>
  );
};

const SamplePart = (props: EditProps): ReactElement => (
  <div className="stack-sm">
    <Suspense fallback={<CodeLoading />}>
      <SampleCode {...props} />
    </Suspense>
    <details className="schema">
      <summary>{texts.schema}</summary>
      <JsonView value={schemaOf(props.draft.variables)} />
    </details>
  </div>
);

const DetailsPart = ({ draft, onChange, isReadOnly }: EditProps): ReactElement => {
  const { name, description, category } = draft;
  const labels = strings.templates.details;
  return (
    <div className="stack">
      <TextField
        label={labels.name}
        value={name}
        isReadOnly={isReadOnly}
        isRequired
        onChange={(value) => onChange({ name: value })}
      />
      <TextField
        label={labels.description}
        value={description}
        isOptional
        rows={3}
        isReadOnly={isReadOnly}
        onChange={(value) => onChange({ description: value })}
      />
      <Select
        label={labels.category}
        value={category}
        options={categories}
        isDisabled={isReadOnly}
        onChange={(value) => onChange({ category: value })}
      />
    </div>
  );
};

type TemplateEditorProps = EditProps & { template: TemplateResponse; errors: Record<string, string> };

/** Edits a template, with its preview beside it, or behind a tab in a narrow window. */
export const TemplateEditor = ({ template, errors, ...props }: TemplateEditorProps): ReactElement => {
  const isWide = useMedia(wide);
  const canRender = usePermission('render:create');
  const [part, setPart] = useState('html');
  const preview = canRender ? <LivePreview draft={props.draft} /> : <StoredPreview template={template} />;
  const tabs: TabItem[] = [
    { id: 'html', title: texts.html, content: <HtmlPart {...props} /> },
    ...(isWide ? [] : [{ id: 'preview', title: texts.preview, content: preview }]),
    { id: 'data', title: texts.data, content: <SamplePart {...props} /> },
    { id: 'variables', title: texts.variables, content: <VariablesEditor {...props} /> },
    { id: 'labels', title: texts.labels, content: <LabelsEditor {...props} /> },
    { id: 'options', title: texts.options, content: <OptionsForm {...props} errors={errors} /> },
    { id: 'details', title: texts.details, content: <DetailsPart {...props} /> },
  ];
  const shown = tabs.some(({ id }) => id === part) ? part : 'html';
  return (
    <div className="template-editor">
      <section className="card template-parts">
        <Tabs label={texts.parts} tabs={tabs} selected={shown} onSelect={setPart} />
      </section>
      {isWide && (
        <section className="card template-preview" aria-label={texts.preview}>
          {preview}
        </section>
      )}
    </div>
  );
};
