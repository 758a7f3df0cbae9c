import { isExactNumber } from '#contracts/http/exact-numbers.ts';
import { ownMember } from '../values.ts';
import type { HelperFunction } from './helper-call.ts';
import { formatDate } from './format-date.ts';
import { formatCurrency, formatNumber } from './format-number.ts';
import { json, lowercase, truncate, uppercase, label } from './text.ts';

/** `arguments` is the least and the highest number of arguments; `named` are the named arguments allowed. */
type HelperSignature = { arguments: readonly [number, number]; named: readonly string[] | 'any'; usage: string };

/**
 * The cost of a call, and of each character read or written, in steps of the expansion. It is measured against a plain
 * placeholder.
 */
type HelperCost = { call: number; character: number };

type BlockHelper = HelperSignature & { form: 'block' };
type ValueHelper = HelperSignature & { form: 'value'; cost: HelperCost; compute: HelperFunction };

const blockHelper = (usage: string, ...named: string[]): BlockHelper => ({
  form: 'block',
  arguments: [1, 1],
  named,
  usage,
});

const valueHelper = (
  count: number | readonly [number, number],
  usage: string,
  compute: HelperFunction,
  { named = [], ...cost }: Partial<HelperCost> & Partial<Pick<HelperSignature, 'named'>> = {},
): ValueHelper => ({
  form: 'value',
  arguments: typeof count === 'number' ? [count, count] : count,
  named,
  usage,
  compute,
  cost: { call: 1, character: 1 / 16, ...cost },
});

const lookup: HelperFunction = (_, { value: holder }, { value }) => {
  const name = isExactNumber(value) ? value.rawJSON : value;
  return typeof name === 'string' || typeof name === 'number' ? ownMember(holder, String(name)) : undefined;
};

const blockHelpers = {
  if: blockHelper('{{#if x}}...{{else}}...{{/if}}', 'includeZero'),
  unless: blockHelper('{{#unless x}}...{{/unless}}', 'includeZero'),
  each: blockHelper('{{#each items}}...{{/each}}'),
  with: blockHelper('{{#with x}}...{{/with}}'),
};

/** Only `lookup` may find nothing; it then returns undefined. */
export const valueHelpers = {
  lookup: valueHelper(2, '{{lookup object "name"}}', lookup),
  formatDate: valueHelper(2, '{{formatDate date "DD/MM/YYYY"}}', formatDate, { call: 100 }),
  formatCurrency: valueHelper(2, '{{formatCurrency amount "EUR"}}', formatCurrency, {
    call: 10,
    named: ['maxDecimals'],
  }),
  formatNumber: valueHelper([1, 2], '{{formatNumber number 2}}', formatNumber, { call: 10 }),
  label: valueHelper(1, '{{label "total"}}', label, { call: 2, named: 'any' }),
  uppercase: valueHelper(1, '{{uppercase text}}', uppercase),
  lowercase: valueHelper(1, '{{lowercase text}}', lowercase),
  // truncate finds the boundaries of each character that it keeps.
  truncate: valueHelper(2, '{{truncate text 20}}', truncate, { call: 20, character: 1 }),
  json: valueHelper(1, '{{{json value}}}', json, { call: 5 }),
};

export const helpers = { ...blockHelpers, ...valueHelpers };

export type BlockHelperName = keyof typeof blockHelpers;
export type ValueHelperName = keyof typeof valueHelpers;

export const isHelper = (name: string): name is keyof typeof helpers => Object.hasOwn(helpers, name);
/** Whether a placeholder of this name without arguments is a helper. `{{label}}` is a variable: many data have one. */
export const isReservedName = (name: string): boolean => isHelper(name) && name !== 'label';
export const helperNames = Object.keys(helpers).join(', ');
