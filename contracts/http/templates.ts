import { z } from 'zod';
import { optionalRenderOptionFields, withConsistentPage } from './render-options.ts';
import { templateLabels } from './template-labels.ts';
import { isObject } from './type-names.ts';

/** Any JSON object. It is not copied or checked, so its size does not matter. */
export const anyObject = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .meta({ type: 'object', additionalProperties: {} });

export const templateCategories = [
  'invoice',
  'contract',
  'report',
  'certificate',
  'letter',
  'receipt',
  'other',
] as const;
const variableTypes = ['string', 'number', 'boolean', 'array', 'object', 'date'] as const;

/** The maximum length of the sample data of a template as JSON, in characters. */
const maxSampleDataLength = 262_144;

export const sampleData = anyObject
  .refine((data) => JSON.stringify(data).length <= maxSampleDataLength, {
    error: `must have at most ${maxSampleDataLength} characters as JSON`,
  })
  .meta({
    type: 'object',
    additionalProperties: {},
    description: 'Example data, for previews of the template. It belongs to the version of the template.',
  });

/** Limits of every plan that is not unlimited. Lengths in characters. */
export const templateFieldLimits = {
  nameLength: 200,
  descriptionLength: 2000,
  changesLength: 500,
  variables: 50,
  variableNameLength: 100,
} as const;

const passwordsInTemplate =
  'is not allowed in the default options of a template, because everyone who may read the template could read its ' +
  'passwords. Send it with each render request';

/** Refuses what must not be stored with a template. */
export const defaultOptions = withConsistentPage(z.strictObject(optionalRenderOptionFields))
  .superRefine(
    ({ encryption }, context) => {
      if (encryption !== undefined)
        context.addIssue({ code: 'custom', path: ['encryption'], message: passwordsInTemplate });
    },
    { when: ({ value }) => isObject(value) },
  )
  .describe('Render options for renders with this template, unless the request has them. Not `encryption`.');
/** Lengths in millimetres, times in milliseconds. Absent: no default of the template. */
export type DefaultOptions = z.output<typeof defaultOptions>;

export const variableDeclaration = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(templateFieldLimits.variableNameLength)
    .describe('A top-level name of the data, or a dotted path into it.'),
  type: z.enum(variableTypes).describe('A date is an ISO 8601 date or date-time.'),
  required: z.boolean().default(false).describe('A render whose data lacks a required variable fails.'),
});
export type VariableDeclaration = z.output<typeof variableDeclaration>;

const indexOfFirstDuplicate = (names: string[]): number => {
  const seen = new Set<string>();
  return names.findIndex((name) => {
    const known = seen.has(name);
    seen.add(name);
    return known;
  });
};

/**
 * The declared variables of a template, with distinct names. `maxVariables` is the limit of the plan; null is
 * unlimited.
 */
export const variablesUpTo = (maxVariables: number | null) =>
  z
    .array(variableDeclaration)
    .max(maxVariables ?? Number.MAX_SAFE_INTEGER, `at most ${maxVariables} variables are allowed`)
    .superRefine((variables, context) => {
      const at = indexOfFirstDuplicate(variables.map(({ name }) => name));
      if (at >= 0)
        context.addIssue({
          code: 'custom',
          path: [at, 'name'],
          message: `the variable "${variables[at]?.name}" is declared twice; names must be distinct`,
        });
    });

/** Much longer names take minutes to normalise. They are rejected for their length anyway. */
const normalizeName = (name: string): string =>
  name.length > 4 * templateFieldLimits.nameLength ? name : name.normalize('NFC');

const isOneLine = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

const templateFields = (maxVariables: number | null) => ({
  name: z
    .string()
    .trim()
    .overwrite(normalizeName)
    .min(1)
    .max(templateFieldLimits.nameLength)
    .refine(isOneLine, 'must be one line of text, without control characters')
    .describe('Unique within the account.'),
  description: z.string().max(templateFieldLimits.descriptionLength),
  content: z.string().min(1).describe('HTML with placeholders.'),
  category: z.enum(templateCategories),
  variables: variablesUpTo(maxVariables),
  default_options: defaultOptions,
  labels: templateLabels,
  sample_data: sampleData,
});

/**
 * The body of POST /templates. `maxVariables` is the limit of the plan; null is unlimited. The handler checks the size
 * of `content`.
 */
export const createTemplateRequestFor = (maxVariables: number | null) => {
  const { default_options, description, category, variables, labels, sample_data, ...required } =
    templateFields(maxVariables);
  return z.strictObject({
    ...required,
    description: description.optional(),
    category: category.default('other'),
    variables: variables.default([]),
    default_options: default_options.default({}),
    labels: labels.default({}),
    sample_data: sample_data.default({}),
  });
};

/** The body of PUT /templates/{id}. Absent fields do not change. */
export const updateTemplateRequestFor = (maxVariables: number | null) =>
  z
    .strictObject(templateFields(maxVariables))
    .partial()
    .extend({
      changes: z
        .string()
        .trim()
        .min(1)
        .max(templateFieldLimits.changesLength)
        .optional()
        .describe('A description of the change. Default: the names of the changed fields.'),
    });

export const createTemplateRequest = createTemplateRequestFor(templateFieldLimits.variables);
export type CreateTemplateRequest = z.output<typeof createTemplateRequest>;
export const updateTemplateRequest = updateTemplateRequestFor(templateFieldLimits.variables);
export type UpdateTemplateRequest = z.output<typeof updateTemplateRequest>;

export const listTemplatesQuery = z.strictObject({
  category: z.enum(templateCategories).optional(),
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  statistics: z.enum(['true', 'false']).default('false').describe('Whether the list shows how templates are used.'),
});

/** The query for a page of the versions or events of a template. */
export const templateHistoryQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the next_cursor of a page')
    .optional()
    .describe('next_cursor of the previous page.'),
});

/** The body of POST /templates/validate. `maxVariables` is the limit of the plan; null is unlimited. */
export const validateTemplateRequestFor = (maxVariables: number | null) =>
  z.strictObject({
    content: z.string(),
    variables: variablesUpTo(maxVariables).default([]),
    labels: templateLabels.optional(),
  });
export const validateTemplateRequest = validateTemplateRequestFor(templateFieldLimits.variables);

const templateVersion = z.number().int().min(1);

/** The body of POST /templates/{id}/test: the data, and options that override those of the template. */
export const testTemplateRequest = withConsistentPage(
  z.strictObject({
    data: anyObject,
    template_version: templateVersion.optional(),
    ...optionalRenderOptionFields,
  }),
);

export const restoreTemplateRequest = z.strictObject({ version: templateVersion });
