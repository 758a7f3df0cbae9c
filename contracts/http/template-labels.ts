import { z } from 'zod';
import { localeTag } from './locale.ts';

/** Limits of the labels of a template. Lengths in characters. */
const labelLimits = {
  languages: 40,
  labels: 200,
  nameLength: 50,
  textLength: 1000,
  totalLength: 65_536,
} as const;

const atMost = (limit: number, unit: string) =>
  [
    (record: object) => Object.keys(record).length <= limit,
    { error: `must have at most ${limit} ${unit}`, abort: true },
  ] as const;

const labelName = z
  .string()
  .max(labelLimits.nameLength)
  .regex(/^[A-Za-z]\w*$/, 'must be a name of letters, digits and _ that begins with a letter');

const labelTexts = z
  .record(labelName, z.string().max(labelLimits.textLength))
  .refine(...atMost(labelLimits.labels, 'labels'));

/** The texts of a template by language and name. */
export const templateLabels = z
  .record(localeTag, labelTexts)
  .refine(...atMost(labelLimits.languages, 'languages'))
  .refine((labels) => JSON.stringify(labels).length <= labelLimits.totalLength, {
    error: `must have at most ${labelLimits.totalLength} characters as JSON`,
    abort: true,
  })
  .describe(
    'Texts of the template by language, such as `{"en": {"total": "Total"}, "de": {"total": "Gesamtbetrag"}}`. ' +
      '`{{label "total"}}` shows the text in the language of the `locale` of the render. A label that this language ' +
      'does not have is taken from `en`, or from the first language if there is no `en`.',
  );
export type TemplateLabels = z.output<typeof templateLabels>;
