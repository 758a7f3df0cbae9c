import { z } from 'zod';
import { renderOptionFields } from './render-options.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON object, passed on as the very object that came in: its members are not looked at, however many they are. */
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

/** What every plan but the unlimited ones may hold. Characters, unless the name says otherwise. */
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

/** Every page, header/footer and advanced option of a render, each optional and none filled in: what a template may preset, and what a test render may override. */
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
      .describe('Language tag (BCP 47) for month names and amounts; en unless set.'),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be an IANA time zone such as UTC or Europe/Vienna')
      .optional()
      .describe('IANA time zone that date-times are shown in; UTC unless set.'),
  })
  .describe('Render options that a render with this template takes where its own request leaves them out.');
/** Lengths in millimetres, times in milliseconds; absent means not preset. */
export type DefaultOptions = z.output<typeof defaultOptions>;

export const variableDeclaration = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(templateLimits.variableNameLength)
    .describe('A top-level name of the data, or a dotted path into it.'),
  type: z.enum(variableTypes).describe('date is an ISO 8601 date or date-time.'),
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

/** The declared variables of a template; names are distinct. `most` is how many the plan allows, null for any number. */
export const variablesUpTo = (most: number | null) =>
  z
    .array(variableDeclaration)
    .max(most ?? Number.MAX_SAFE_INTEGER, `at most ${most} variables are allowed`)
    .superRefine((variables, context) => {
      const at = indexOfFirstDuplicate(variables.map(({ name }) => name));
      if (at >= 0)
        context.addIssue({
          code: 'custom',
          path: [at, 'name'],
          message: `the variable "${variables[at]?.name}" is declared twice; names must be distinct`,
        });
    });

/** Far longer texts take minutes to normalise, and are refused for their length anyway. */
const normalizeName = (name: string): string =>
  name.length > 4 * templateLimits.nameLength ? name : name.normalize('NFC');

const isOneLine = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

const templateFields = (mostVariables: number | null) => ({
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
  variables: variablesUpTo(mostVariables),
  default_options: defaultOptions,
});

/** The body of POST /templates for a plan that allows `mostVariables` variables (null: any number). The size of `content` is a matter of the plan, not of this schema. */
export const createTemplateRequestFor = (mostVariables: number | null) => {
  const { name, content, description, category, variables, default_options } = templateFields(mostVariables);
  return z.strictObject({
    name,
    content,
    description: description.optional(),
    category: category.default('other'),
    variables: variables.default([]),
    default_options: default_options.default({}),
  });
};

/** The body of PUT /templates/{id}: only the fields that are there change. */
export const updateTemplateRequestFor = (mostVariables: number | null) =>
  z
    .strictObject(templateFields(mostVariables))
    .partial()
    .extend({
      changes: z
        .string()
        .trim()
        .min(1)
        .max(templateLimits.changesLength)
        .optional()
        .describe('What the version changes; else the names of the changed fields are noted.'),
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

/** The body of POST /templates/validate for a plan that allows `mostVariables` variables (null: any number). */
export const validateTemplateRequestFor = (mostVariables: number | null) =>
  z.strictObject({ content: z.string(), variables: variablesUpTo(mostVariables).default([]) });
export const validateTemplateRequest = validateTemplateRequestFor(templateLimits.variables);

const templateVersion = z.number().int().min(1);

/** The body of POST /templates/{id}/test: the data, and the render's own options where they differ from the template's. */
export const testTemplateRequest = z.strictObject({
  data: anyObject,
  template_version: templateVersion.optional(),
  ...optionalRenderOptionFields,
});
export type TestTemplateRequest = z.output<typeof testTemplateRequest>;

export const restoreTemplateRequest = z.strictObject({ version: templateVersion });
