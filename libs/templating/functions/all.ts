import { ownMember } from '../reserved.ts';
import type { ValueHelperName } from '../signatures.ts';
import type { ValueHelper } from './argument.ts';
import { formatCurrency } from './format-currency.ts';
import { formatDate } from './format-date.ts';
import { json } from './json.ts';
import { lowercase, truncate, uppercase } from './text.ts';

const lookup: ValueHelper = (_, { value: holder }, { value: name }) =>
  typeof name === 'string' || typeof name === 'number' ? ownMember(holder, String(name)) : undefined;

/** What a call of each counts as, in steps of the expansion: roughly its time against that of a plain placeholder. */
export const costs: Record<ValueHelperName, number> = { lookup: 1, formatDate: 100, formatCurrency: 10, uppercase: 1, lowercase: 1, truncate: 20, json: 5 };

/** What each helper computes. `lookup` alone may find nothing, and then gives undefined. */
export const valueHelpers: Record<ValueHelperName, ValueHelper> = { lookup, formatDate, formatCurrency, uppercase, lowercase, truncate, json };
