import { useKeyNames, useTemplateNames } from '../../api/names.ts';
import { optionsOf, plainOptions } from '../../components/fields.tsx';
import type { Filter, FilterValues } from '../../components/FilterBar.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.renders;
const { filters } = texts;

const statuses = ['QUEUED', 'PROCESSING', 'DONE', 'FAILED'] as const;
/** The chosen value is always among the options, so that a link with a filter shows what it filters by. */
const namedOptions = (names: ReadonlyMap<string, string>, chosen: string | undefined) => [
  ...optionsOf(Object.fromEntries(names)),
  ...(chosen && !names.has(chosen) ? [{ value: chosen, label: chosen }] : []),
];

const moreNames = ['mode', 'input_type', 'template_id', 'key_id', 'person_id', 'asynchronous'] as const;
export const filterNames = ['status', 'error', 'since', 'until', ...moreNames] as const;

export const hasMoreFilters = (values: FilterValues): boolean => moreNames.some((name) => values[name]);

/** The filters of the list; `isAll` adds those that are needed less often. */
export const useRenderFilters = (values: FilterValues, isAll: boolean): Filter[] => {
  const [templates, keys] = [useTemplateNames(), useKeyNames(isAll)];
  const select = (name: string, label: string, options: { value: string; label: string }[]): Filter => ({
    kind: 'select',
    name,
    label,
    options,
  });
  const more = [
    select('mode', filters.mode, optionsOf(texts.modes)),
    select('input_type', filters.inputType, optionsOf(texts.inputTypes)),
    select('template_id', filters.template, namedOptions(templates, values['template_id'])),
    select('key_id', filters.key, namedOptions(keys, values['key_id'])),
    ...(values['person_id'] ? [select('person_id', filters.person, namedOptions(new Map(), values['person_id']))] : []),
    select('asynchronous', filters.kind, optionsOf(texts.kinds)),
  ];
  return [
    { kind: 'text', name: 'q', label: filters.search, placeholder: filters.searchHint },
    select(
      'status',
      filters.status,
      statuses.map((value) => ({ value, label: strings.status[value] })),
    ),
    select('error', filters.error, plainOptions(Object.keys(texts.remedies))),
    { kind: 'time', since: 'since', until: 'until', label: filters.time },
    ...(isAll ? more : []),
  ];
};

/** Longer texts that begin like an API key are secrets: only the prefix, which the service shows, may be sent. */
const keyPrefixLength = 15;

/** Cuts a pasted API key to its prefix, so that no secret gets into an address. */
export const withoutSecret = (text: string): string =>
  /^\s*svc_(live|test)_/.test(text) ? text.trim().slice(0, keyPrefixLength) : text;
