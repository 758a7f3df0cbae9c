import { useSyncExternalStore } from 'react';
import type { TemplateLabels } from '#contracts/http/template-labels.ts';
import type { TemplateResponse, TemplateVersionResponse } from '#contracts/http/template-responses.ts';
import type { templateCategories, VariableDeclaration } from '#contracts/http/templates.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { ApiError } from '../../api/api-error.ts';
import type { RenderOptionValues } from '../../components/option-values.ts';
import { strings } from '../../strings/strings.ts';

export type Category = (typeof templateCategories)[number];

/** A template while it is edited, with the names of the API. The sample data are text, which may not be JSON yet. */
export type Draft = {
  name: string;
  description: string;
  category: Category;
  content: string;
  sample_data: string;
  variables: VariableDeclaration[];
  default_options: RenderOptionValues;
  labels: TemplateLabels;
};

/** What edits fields of a draft. */
export type EditProps = { draft: Draft; onChange: (changes: Partial<Draft>) => void; isReadOnly: boolean };

type Stored = Pick<
  TemplateResponse | TemplateVersionResponse,
  'name' | 'description' | 'category' | 'content' | 'variables' | 'default_options' | 'labels' | 'sample_data'
>;

export const draftOf = (template: Stored): Draft => ({
  name: template.name,
  description: template.description ?? '',
  category: template.category,
  content: template.content,
  sample_data: JSON.stringify(template.sample_data ?? {}, null, 2),
  variables: template.variables,
  default_options: template.default_options,
  labels: template.labels ?? {},
});

/** The sample data, or why they are none. */
export const sampleOf = ({ sample_data: sample }: Draft): { data: Record<string, unknown> } | { problem: string } => {
  try {
    const data: unknown = parseExactJson(sample.trim() === '' ? '{}' : sample);
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      return { problem: strings.templates.editor.notObject };
    return { data: data as Record<string, unknown> };
  } catch (error) {
    return { problem: strings.templates.editor.notJson((error as Error).message) };
  }
};

/** Whether an error is that of a template which needs values, but has no sample data. */
export const lacksSample = (error: unknown, sample: Record<string, unknown> = {}): boolean =>
  error instanceof ApiError && error.body['missing_variable'] !== undefined && Object.keys(sample).length === 0;

/** All fields of a draft. */
export const fieldNames = Object.keys(strings.templates.fields) as (keyof Draft)[];

const isSame = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
const isSameSample = (a: Draft, b: Draft): boolean => {
  const [first, second] = [sampleOf(a), sampleOf(b)];
  return 'data' in first && 'data' in second ? isSame(first.data, second.data) : a.sample_data === b.sample_data;
};

/** The fields of the draft that differ. */
export const changedFields = (base: Draft, draft: Draft): (keyof Draft)[] =>
  fieldNames.filter((field) =>
    field === 'sample_data' ? !isSameSample(base, draft) : !isSame(base[field], draft[field]),
  );

/** The names of fields as a text. */
export const fieldList = (fields: readonly (keyof Draft)[]): string =>
  fields.map((field) => strings.templates.fields[field]).join(', ');

/** The body of a request with these fields of the draft. @throws Error if the sample data are not JSON */
export const bodyOf = (draft: Draft, fields: readonly (keyof Draft)[]): Record<string, unknown> => {
  const sample = sampleOf(draft);
  if ('problem' in sample && fields.includes('sample_data')) throw new Error(sample.problem);
  const values = { ...draft, sample_data: 'data' in sample ? sample.data : {} };
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
};

/** A draft, and the version that it began with. */
export type Editing = { version: number; base: Draft; draft: Draft };

/** Drafts by template id, in the memory of this tab only: what a person writes belongs to no storage of the browser. */
const drafts = new Map<string, Editing>();
const listeners = new Set<() => void>();
const notify = (): void => listeners.forEach((listener) => listener());

const isChanged = ({ base, draft }: Editing): boolean => base !== draft && changedFields(base, draft).length > 0;

window.addEventListener('beforeunload', (event) => {
  if ([...drafts.values()].some(isChanged)) event.preventDefault();
});

export const setEditing = (id: string, editing: Editing | null): void => {
  if (editing) drafts.set(id, editing);
  else drafts.delete(id);
  notify();
};

/** The draft of a template; it begins with the stored version, and anew with a newer one while nothing is changed. */
export const useEditing = (template: TemplateResponse): Editing => {
  const stored = drafts.get(template.id);
  if (!stored || (stored.version < template.version && !isChanged(stored))) {
    const base = draftOf(template);
    drafts.set(template.id, { version: template.version, base, draft: base });
  }
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => drafts.get(template.id) ?? stored!,
  );
};

/** Changes fields of a draft. */
export const changeDraft = (id: string, changes: Partial<Draft>): void => {
  const editing = drafts.get(id);
  if (editing) setEditing(id, { ...editing, draft: { ...editing.draft, ...changes } });
};
