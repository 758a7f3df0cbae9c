/** The helpers of the template language: `usage` is an example, `text` says what it shows. */
export const helpers = {
  if: { isBlock: true, usage: '{{#if x}}…{{else}}…{{/if}}', text: 'Shows its content if the value is not empty.' },
  unless: { isBlock: true, usage: '{{#unless x}}…{{/unless}}', text: 'Shows its content if the value is empty.' },
  each: { isBlock: true, usage: '{{#each items}}…{{/each}}', text: 'Repeats its content for each entry.' },
  with: { isBlock: true, usage: '{{#with x}}…{{/with}}', text: 'Its content is about this value.' },
  lookup: { isBlock: false, usage: '{{lookup object "name"}}', text: 'A field whose name is a value.' },
  formatDate: {
    isBlock: false,
    usage: '{{formatDate date "long"}}',
    text: 'A date: short, medium, long, full, time, or a pattern such as DD/MM/YYYY.',
  },
  formatCurrency: {
    isBlock: false,
    usage: '{{formatCurrency amount "EUR"}}',
    text: 'An amount in the format of the locale; maxDecimals=6 shows up to six decimals, for unit prices.',
  },
  formatNumber: {
    isBlock: false,
    usage: '{{formatNumber number 2}}',
    text: 'A number in the format of the locale, with this number of decimals.',
  },
  label: { isBlock: false, usage: '{{label "total"}}', text: 'A text of the labels in the language of the locale.' },
  uppercase: { isBlock: false, usage: '{{uppercase text}}', text: 'The text in capital letters.' },
  lowercase: { isBlock: false, usage: '{{lowercase text}}', text: 'The text in small letters.' },
  truncate: { isBlock: false, usage: '{{truncate text 20}}', text: 'The beginning of the text.' },
  json: { isBlock: false, usage: '{{{json value}}}', text: 'The value as JSON.' },
} as const;

export type HelperName = keyof typeof helpers;
export const isHelperName = (name: string): name is HelperName => Object.hasOwn(helpers, name);
