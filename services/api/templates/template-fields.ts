import type { z } from 'zod';
import { ApiError, throwErrors } from '#contracts/http/api-error.ts';
import { defaultSelectorErrors } from '../renders/document-fields.ts';
import { findErrors } from '../server/validation/validate.ts';

type RequiredField = 'name' | 'content';

/** Whether a field has nothing but white space. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** What a check finds in a template without content. */
export const missingContent = { type: 'missing_content', message: 'A template needs content.', line: 1 } as const;

const missingField = (name: RequiredField): ApiError =>
  name === 'name'
    ? ApiError.of('template_name_required', 'A template needs a name.', { field: name })
    : ApiError.of('template_content_required', missingContent.message, { field: name });

/**
 * Validates the fields of a template. Those in `required` must not be blank. @throws ApiError template_name_required,
 * template_content_required and others
 */
export const readTemplateFields = <S extends z.ZodType>(
  schema: S,
  fields: Record<string, unknown>,
  required: readonly RequiredField[],
): z.output<S> => {
  const blank = required.filter((name) => isBlank(fields[name]));
  const { value, errors, uncollected } = findErrors(
    schema,
    fields,
    ({ path: [name] }) => !blank.some((field) => field === name),
  );
  throwErrors([...blank.map(missingField), ...errors, ...defaultSelectorErrors(fields)], uncollected);
  return value as z.output<S>;
};

/** The required fields that a change names. Absent fields do not change. */
export const changedRequiredFields = (fields: Record<string, unknown>): RequiredField[] =>
  (['name', 'content'] as const).filter((name) => fields[name] !== undefined);
