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
    invoice: {
      summary: 'An invoice',
      value: {
        name: 'Invoice',
        content:
          '<h1>Invoice {{number}}</h1>{{#each items}}<p>{{this.name}}: {{formatCurrency this.price "EUR"}}</p>{{/each}}',
        category: 'invoice',
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
      value: { content: '<h1>Invoice no. {{number}}</h1>', changes: 'Shorter heading' },
    },
  },
  restore: { first: { summary: 'The first version', value: { version: 1 } } },
  test: {
    invoice: {
      summary: 'Data of an invoice',
      value: { data: { number: '2026-118', items: [{ name: 'Paper', price: 4.2 }] } },
    },
  },
};

/** The reference of POST /templates, in Markdown. */
export const createTemplateDescription = `Stores HTML with placeholders as version 1 of a template.

**Name.** Unique within the account. Spaces around it are removed. Names are compared in Unicode normal form C; upper and
lower case are different. Deleting a template frees its name.

**Syntax.** Handlebars: \`{{var}}\`, \`{{#if}}\`, \`{{#unless}}\`, \`{{#each}}\`, \`{{#with}}\`, \`{{lookup}}\`, and the helpers
\`formatDate value "DD/MM/YYYY"\`, \`formatCurrency value "EUR"\`, \`uppercase\`, \`lowercase\`, \`truncate text 20\` and \`json\`.
Amounts and month names use \`default_options.locale\` (default \`en\`). Unknown helpers, partials and decorators are
\`invalid_template_syntax\`. Only own properties of the data can be used.`;
