/** What a helper is called with. `arguments` are least and most; `named` are the named arguments it knows. */
export type Signature = { form: 'block' | 'value'; arguments: readonly [number, number]; named: readonly string[]; usage: string };

const value = (least: number, most: number, usage: string) => ({ form: 'value' as const, arguments: [least, most] as const, named: [] as string[], usage });
const block = (usage: string, ...named: string[]) => ({ form: 'block' as const, arguments: [1, 1] as const, named, usage });

export const signatures = {
  if: block('{{#if x}}...{{else}}...{{/if}}', 'includeZero'),
  unless: block('{{#unless x}}...{{/unless}}', 'includeZero'),
  each: block('{{#each items}}...{{/each}}'),
  with: block('{{#with x}}...{{/with}}'),
  lookup: value(2, 2, '{{lookup object "name"}}'),
  formatDate: value(2, 2, '{{formatDate date "DD/MM/YYYY"}}'),
  formatCurrency: value(2, 2, '{{formatCurrency amount "EUR"}}'),
  uppercase: value(1, 1, '{{uppercase text}}'),
  lowercase: value(1, 1, '{{lowercase text}}'),
  truncate: value(2, 2, '{{truncate text 20}}'),
  json: value(1, 1, '{{{json value}}}'),
} as const satisfies Record<string, Signature>;

export type HelperName = keyof typeof signatures;
export type ValueHelperName = { [N in HelperName]: (typeof signatures)[N]['form'] extends 'value' ? N : never }[HelperName];
export type BlockHelperName = Exclude<HelperName, ValueHelperName>;

export const isHelper = (name: string): name is HelperName => Object.hasOwn(signatures, name);
export const helperNames = Object.keys(signatures).join(', ');
