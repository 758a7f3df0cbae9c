import { z } from 'zod';

export const templateParams = z.object({ id: z.string().describe('tpl_<id>') });
// Text, because a version that is not a number is reported as one that never existed.
const version = z.string().meta({ type: 'integer', description: 'The number of a version that is still kept.' });
export const templateVersionParams = templateParams.extend({ version });

const ifMatchDescription =
  'The version that the change applies to, such as 3. If the template has another version, the response is 412.';
export const ifMatchHeaders = z.object({ 'If-Match': z.string().optional().describe(ifMatchDescription) });
export const etagHeader = { ETag: 'The version, in quotes.' };

/** Example request bodies. */
export const templateExamples = {
  create: {
    offer: {
      summary: 'An offer',
      value: {
        name: 'Offer',
        content:
          '<h1>Offer {{number}}</h1>{{#each items}}<p>{{this.name}}: {{formatCurrency this.price "EUR"}}</p>{{/each}}',
        category: 'other',
        variables: [
          { name: 'number', type: 'string', required: true },
          { name: 'items', type: 'array', required: true },
        ],
        default_options: { page_size: 'A4', margin_top: 25, locale: 'de-AT' },
      },
    },
  },
  validate: {
    unclosed: { summary: 'A block that is never closed', value: { content: '{{#if paid}}Thank you', variables: [] } },
  },
  update: {
    content: {
      summary: 'New content',
      value: { content: '<h1>Offer no. {{number}}</h1>', changes: 'Shorter heading' },
    },
  },
  restore: { first: { summary: 'The first version', value: { version: 1 } } },
  preview: {
    offer: {
      summary: 'A template while it is written',
      value: {
        content: '<h1>Offer {{number}}</h1>',
        data: { number: '2026-118' },
        default_options: { page_size: 'A5' },
        editor: 'offer',
      },
    },
  },
  test: {
    offer: {
      summary: 'Data of an offer',
      value: { data: { number: '2026-118', items: [{ name: 'Paper', price: 4.2 }] } },
    },
  },
};

/** The reference of POST /templates, in Markdown. */
export const createTemplateDescription = `Stores HTML with placeholders as version 1 of a template.

**Name.** Unique within the account. Spaces around it are removed. Names are compared in Unicode normal form C; upper and
lower case are different. Deleting a template frees its name.

**Syntax.** Handlebars: \`{{var}}\`, \`{{#if}}\`, \`{{#unless}}\`, \`{{#each}}\`, \`{{#with}}\`, \`{{lookup}}\`, and these helpers:

| Helper | Shows |
|---|---|
| \`formatDate value "long"\` | a date in the format of the locale; also \`short\` (31.03.2026), \`medium\`, \`full\`, \`time\` |
| \`formatDate value "DD/MM/YYYY"\` | a date in your own pattern |
| \`formatCurrency value "EUR"\` | an amount in the format of the locale; with \`maxDecimals=6\` up to six decimals, for unit prices |
| \`formatNumber value 2\` | a number in the format of the locale, with two decimals; without the 2 all of its decimals |
| \`label "total"\` | a text of \`labels\` in the language of the locale |
| \`uppercase\`, \`lowercase\`, \`truncate text 20\` | changed text |
| \`json\` | a value as JSON |

The locale and the time zone are those of the request (\`locale\`, \`time_zone\`), or else of \`default_options\`, or else
of the settings of the account, or else \`en\` and UTC. \`{{@locale}}\` is the locale, \`{{@dir}}\` is the
direction of its script (\`ltr\` or \`rtl\`):
\`<html lang="{{@locale}}" dir="{{@dir}}">\`. Unknown helpers, unknown labels, partials and decorators are
\`invalid_template_syntax\`. Only own properties of the data can be used.

**Labels.** Texts of the template by language:
\`"labels": {"en": {"due": "Due by {date}"}, "de": {"due": "Zahlbar bis {date}"}}\`.
\`{{label "due" date=(formatDate due_date "long")}}\` shows the text in the language of the locale, with \`{date}\` filled
in. What a language lacks is taken from \`en\`. Labels belong to the version of the template.

**Sample data.** \`sample_data\` is example data of at most 262,144 characters as JSON. Previews show it, renders do not use it.`;
