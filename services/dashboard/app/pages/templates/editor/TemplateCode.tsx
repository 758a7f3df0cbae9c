import { type ReactElement, useMemo, useRef, useEffect } from 'react';
import { type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { html } from '@codemirror/lang-html';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { type Diagnostic, linter } from '@codemirror/lint';
import type { Extension, Text } from '@codemirror/state';
import type { TemplateIssue } from '#contracts/http/template-responses.ts';
import { api } from '../../../api/client.ts';
import { strings } from '../../../strings/strings.ts';
import { type Draft, sampleOf } from '../draft.ts';
import { CodeEditor } from './CodeEditor.tsx';
import { suggestionsAfter } from './completions.ts';
import { placeholderHighlighting } from './placeholders.ts';
import { sampleProblems } from './sample-schema.ts';

export type TemplateCodeProps = {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  isReadOnly: boolean;
  /** Called with the findings of the service. */
  onIssues: (issues: TemplateIssue[] | null) => void;
};

const texts = strings.templates.editor;
/** Longer templates are only searched back so far for the blocks around the cursor. */
const maxScanned = 200_000;

const kinds = { variable: 'variable', helper: 'function', block: 'keyword', label: 'text' } as const;

const completions = (draft: () => Draft) => {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const { variables, labels } = draft();
    const sample = sampleOf(draft());
    const before = state.sliceDoc(Math.max(0, pos - maxScanned), pos);
    const found = suggestionsAfter(before, { sample: 'data' in sample ? sample.data : {}, variables, labels });
    if (!found || found.list.length === 0 || (found.length === 0 && !explicit && !/[{#/.(" ]$/.test(before)))
      return null;
    const options = found.list.map(({ label, kind, detail, info }, index): Completion => ({
      label,
      detail,
      type: kinds[kind],
      boost: -index / 10,
      ...(info ? { info } : {}),
    }));
    return { from: pos - found.length, options, validFor: /^[\w@]*$/ };
  };
};

/** The part of the line that an issue is about: the name, if the line has it. */
const placeOf = (doc: Text, { line = 1, variable, label }: TemplateIssue): { from: number; to: number } => {
  const { from, to, text } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const name = variable ?? label;
  const at = name === undefined ? -1 : text.indexOf(name);
  if (at >= 0) return { from: from + at, to: from + at + name!.length };
  const indent = text.length - text.trimStart().length;
  return { from: from + indent, to: Math.max(from + indent, to) };
};

const validation = (draft: () => Draft, onIssues: TemplateCodeProps['onIssues']): Extension => {
  let running: AbortController | null = null;
  return linter(
    async ({ state }): Promise<Diagnostic[]> => {
      running?.abort();
      running = new AbortController();
      const { signal } = running;
      const { variables, labels } = draft();
      const content = state.doc.toString();
      try {
        const { errors } = await api.post('/api/v1/templates/validate', {
          body: { content, variables, labels },
          signal,
        });
        onIssues(errors);
        return errors.map((issue) => ({
          ...placeOf(state.doc, issue),
          severity: issue.type === 'missing_variable' ? ('warning' as const) : ('error' as const),
          message: issue.message,
        }));
      } catch {
        if (!signal.aborted) onIssues(null);
        return [];
      }
    },
    { delay: 350 },
  );
};

const useLatest = <T,>(value: T): (() => T) => {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return () => latest.current;
};

/** The HTML of the template. */
export const HtmlCode = ({ draft, onChange, isReadOnly, onIssues }: TemplateCodeProps): ReactElement => {
  const latest = useLatest(draft);
  const extensions = (): Extension => {
    const language = html({ selfClosingTags: true, autoCloseTags: true });
    return [
      language,
      placeholderHighlighting,
      language.language.data.of({ autocomplete: completions(latest) }),
      isReadOnly ? [] : validation(latest, onIssues),
    ];
  };
  const checkedWith = useMemo(() => JSON.stringify([draft.variables, draft.labels]), [draft.variables, draft.labels]);
  return (
    <CodeEditor
      value={draft.content}
      onChange={(content) => onChange({ content })}
      label={texts.htmlLabel}
      isReadOnly={isReadOnly}
      extensions={extensions}
      checkedWith={checkedWith}
    />
  );
};

/** The sample data as JSON. */
export const SampleCode = ({ draft, onChange, isReadOnly }: Omit<TemplateCodeProps, 'onIssues'>): ReactElement => {
  const latest = useLatest(draft);
  const extensions = (): Extension => [
    json(),
    linter(jsonParseLinter()),
    linter(({ state }) =>
      sampleProblems(state.doc.toString(), latest().variables).map((problem) => ({
        ...problem,
        severity: 'warning' as const,
      })),
    ),
  ];
  return (
    <CodeEditor
      value={draft.sample_data}
      onChange={(text) => onChange({ sample_data: text })}
      label={texts.dataLabel}
      isReadOnly={isReadOnly}
      extensions={extensions}
      checkedWith={draft.variables}
    />
  );
};
