import { z } from 'zod';
import { renderOptionFields } from './render-options.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
export const variableTypes = ['string', 'number', 'boolean', 'array', 'object', 'date'] as const;

/** Limits of every plan that is not unlimited. Lengths in characters. */
export const templateLimits = {
  nameLength: 200,
  descriptionLength: 2000,
  changesLength: 500,
  variables: 50,
  variableNameLength: 100,
} as const;

const isLocale = (tag: string) => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
};

const withoutDefault = <F extends z.ZodType>(field: z.ZodDefault<F>) => field.unwrap().optional();

type OptionalFields = {
  [K in keyof typeof renderOptionFields]: z.ZodOptional<ReturnType<(typeof renderOptionFields)[K]['unwrap']>>;
};

/**
 * All render options, optional and without defaults: for the presets of a template, and for requests that override
 * them.
 */
export const optionalRenderOptionFields = Object.fromEntries(
  Object.entries(renderOptionFields).map(([name, field]) => [name, withoutDefault(field as z.ZodDefault<z.ZodType>)]),
) as OptionalFields;

export const defaultOptions = z
  .strictObject({
    ...optionalRenderOptionFields,
    locale: z
      .string()
      .max(64)
      .refine(isLocale, 'must be a language tag such as en, de-AT or pt-BR')
      .optional()
      .describe('Language tag (BCP 47) for month names and amounts. Default: en.'),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be an IANA time zone such as UTC or Europe/Vienna')
      .optional()
      .describe('IANA time zone of formatted date-times. Default: UTC.'),
  })
  .describe('Render options for renders with this template, unless the request has them.');
/** Lengths in millimetres, times in milliseconds. Absent: no preset. */
export type DefaultOptions = z.output<typeof defaultOptions>;

export const variableDeclaration = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(templateLimits.variableNameLength)
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
  name.length > 4 * templateLimits.nameLength ? name : name.normalize('NFC');

const isOneLine = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

const templateFields = (maxVariables: number | null) => ({
  name: z
    .string()
    .trim()
    .overwrite(normalizeName)
    .min(1)
    .max(templateLimits.nameLength)
    .refine(isOneLine, 'must be one line of text, without control characters')
    .describe('Unique within the account.'),
  description: z.string().max(templateLimits.descriptionLength),
  content: z.string().min(1).describe('HTML with placeholders.'),
  category: z.enum(templateCategories),
  variables: variablesUpTo(maxVariables),
  default_options: defaultOptions,
});

/**
 * The body of POST /templates. `maxVariables` is the limit of the plan; null is unlimited. The handler checks the size
 * of `content`.
 */
export const createTemplateRequestFor = (maxVariables: number | null) => {
  const { name, content, description, category, variables, default_options } = templateFields(maxVariables);
  return z.strictObject({
    name,
    content,
    description: description.optional(),
    category: category.default('other'),
    variables: variables.default([]),
    default_options: default_options.default({}),
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
        .max(templateLimits.changesLength)
        .optional()
        .describe('A description of the change. Default: the names of the changed fields.'),
    });

export const createTemplateRequest = createTemplateRequestFor(templateLimits.variables);
export type CreateTemplateRequest = z.output<typeof createTemplateRequest>;
export const updateTemplateRequest = updateTemplateRequestFor(templateLimits.variables);
export type UpdateTemplateRequest = z.output<typeof updateTemplateRequest>;

export const listTemplatesQuery = z.strictObject({
  category: z.enum(templateCategories).optional(),
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

/** The body of POST /templates/validate. `maxVariables` is the limit of the plan; null is unlimited. */
export const validateTemplateRequestFor = (maxVariables: number | null) =>
  z.strictObject({ content: z.string(), variables: variablesUpTo(maxVariables).default([]) });
export const validateTemplateRequest = validateTemplateRequestFor(templateLimits.variables);

const templateVersion = z.number().int().min(1);

/** The body of POST /templates/{id}/test: the data, and options that override those of the template. */
export const testTemplateRequest = z.strictObject({
  data: anyObject,
  template_version: templateVersion.optional(),
  ...optionalRenderOptionFields,
});
export type TestTemplateRequest = z.output<typeof testTemplateRequest>;

export const restoreTemplateRequest = z.strictObject({ version: templateVersion });
