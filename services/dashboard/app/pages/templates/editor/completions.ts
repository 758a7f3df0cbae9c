import type { TemplateLabels } from '#contracts/http/template-labels.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { isExactNumber } from '#contracts/http/exact-numbers.ts';
import { type HelperName, helpers } from './template-language.ts';
import { fieldsOf, openPlaceholder, placeAfter, resolvePath, withDeclaredVariables } from './scope.ts';

/** What completion knows about a template. */
export type Known = {
  sample: Record<string, unknown>;
  variables: readonly VariableDeclaration[];
  labels: TemplateLabels;
};

export type Suggestion = {
  label: string;
  kind: 'variable' | 'helper' | 'block' | 'label';
  /** A short example or type, beside the name. */
  detail: string;
  info?: string;
};
/** `length` is the number of characters before the cursor that a suggestion replaces. */
export type Suggestions = { length: number; list: Suggestion[] };

const maxDetail = 30;
const exampleText = (value: unknown): string => {
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (typeof value === 'object' && value !== null && !isExactNumber(value)) return 'object';
  const text = isExactNumber(value) ? value.rawJSON : String(value);
  return text.length > maxDetail ? `${text.slice(0, maxDetail)}…` : text;
};

const variable = (name: string, value: unknown): Suggestion => ({
  label: name,
  kind: 'variable',
  detail: exampleText(value),
});

const helperSuggestions = (isBlock: boolean): Suggestion[] =>
  (Object.keys(helpers) as HelperName[])
    .filter((name) => helpers[name].isBlock === isBlock)
    .map((name) => ({
      label: name,
      kind: isBlock ? 'block' : 'helper',
      detail: helpers[name].usage,
      info: helpers[name].text,
    }));

const loopVariables: [string, unknown][] = [
  ['@index', 0],
  ['@number', 1],
  ['@first', true],
  ['@last', true],
  ['@key', 'name'],
];
const documentVariables: [string, unknown][] = [
  ['@locale', 'en'],
  ['@dir', 'ltr'],
];

const labelSuggestions = (labels: TemplateLabels): Suggestion[] => {
  const names = [...new Set(Object.values(labels).flatMap((texts) => Object.keys(texts)))];
  return names.map((name) => ({
    label: name,
    kind: 'label',
    detail: (labels['en'] ?? Object.values(labels)[0])?.[name] ?? '',
  }));
};

/** What can stand at the end of a text in a template; null outside of placeholders. */
export const suggestionsAfter = (before: string, { sample, variables, labels }: Known): Suggestions | null => {
  const open = openPlaceholder(before);
  if (!open) return null;
  const { inside, start } = open;
  const inLabel = /\blabel\s+["']([^"']*)$/.exec(inside);
  if (inLabel) return { length: inLabel[1]!.length, list: labelSuggestions(labels) };
  if (/(["'])[^"']*$/.test(inside.replaceAll(/"[^"]*"|'[^']*'/g, ''))) return null;
  const place = placeAfter(before.slice(0, start), withDeclaredVariables(sample, variables));
  const block = /^([#/])\s*(\w*)$/.exec(inside);
  if (block) {
    const closing = place.openBlocks.at(-1);
    const list: Suggestion[] =
      block[1] === '#'
        ? helperSuggestions(true)
        : closing === undefined
          ? []
          : [{ label: closing, kind: 'block', detail: `{{/${closing}}}` }];
    return { length: block[2]!.length, list };
  }
  const [word] = /[\w@./]*$/.exec(inside)!;
  const at = Math.max(word.lastIndexOf('.'), word.lastIndexOf('/'));
  if (at >= 0) {
    const holder = resolvePath(word.slice(0, at + 1), place.contexts);
    return { length: word.length - at - 1, list: fieldsOf(holder).map(([name, value]) => variable(name, value)) };
  }
  const { value, isLoop } = place.contexts.at(-1)!;
  const names = place.contexts.flatMap((context) => Object.entries(context.names));
  const isFirst = /(?:^|\()\s*[\w@]*$/.test(inside);
  const list = [
    ...[...fieldsOf(value), ...names].map(([name, example]) => variable(name, example)),
    ...(place.contexts.length > 1 ? [variable('this', value), { ...variable('../', ''), detail: '' }] : []),
    ...(isLoop ? loopVariables : []).map(([name, example]) => variable(name, example)),
    ...documentVariables.map(([name, example]) => variable(name, example)),
    ...(isFirst ? helperSuggestions(false) : []),
    ...(/^\s*\w*$/.test(inside) && place.openBlocks.length > 0
      ? [{ label: 'else', kind: 'block', detail: '{{else}}' } satisfies Suggestion]
      : []),
  ];
  return { length: word.length, list };
};
