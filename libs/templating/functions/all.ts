import { ownMember } from '../reserved.ts';
import type { ValueHelperName } from '../signatures.ts';
import type { ValueHelper } from './argument.ts';
import { formatCurrency } from './format-currency.ts';
import { formatDate } from './format-date.ts';
import { json } from './json.ts';
import { lowercase, truncate, uppercase } from './text.ts';

const lookup: ValueHelper = (_, { value: holder }, { value: name }) =>
  typeof name === 'string' || typeof name === 'number' ? ownMember(holder, String(name)) : undefined;

type Cost = { call: number; character: number };

const light: Cost = { call: 1, character: 1 / 16 };

/** What a call of each counts as, in steps of the expansion, and what each character adds that it reads or makes: roughly its time against that of a plain placeholder. */
export const costs: Record<ValueHelperName, Cost> = {
  lookup: light,
  uppercase: light,
  lowercase: light,
  json: { ...light, call: 5 },
  formatCurrency: { ...light, call: 10 },
  formatDate: { ...light, call: 100 },
  // It looks for the bounds of every character it keeps.
  truncate: { call: 20, character: 1 },
};

/** What each helper computes. `lookup` alone may find nothing, and then gives undefined. */
export const valueHelpers: Record<ValueHelperName, ValueHelper> = { lookup, formatDate, formatCurrency, uppercase, lowercase, truncate, json };
