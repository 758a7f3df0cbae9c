import { ApiError } from '#contracts/http/api-error.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { describeValue, truncateForMessage } from './messages.ts';
import { isoDateAllowed, ownMember, readIsoDate } from './values.ts';

const isOfType: Record<VariableDeclaration['type'], (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && !Array.isArray(value),
  date: (value) => readIsoDate(value) !== undefined,
};

const typeDescriptions: Record<VariableDeclaration['type'], string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  date: `a date: ${isoDateAllowed}`,
};

// A declared name may contain dots: it is looked up as a top-level name first, then as a path.
const declaredValue = (data: unknown, name: string): unknown => {
  const top = ownMember(data, name);
  return top === undefined ? name.split('.').reduce(ownMember, data) : top;
};

/**
 * Checks the data against the declared variables. Null counts as present and fits every type.
 * @throws ApiError template_render_error if a required variable is missing or a value has the wrong type
 */
export const checkVariables = (data: unknown, variables: readonly VariableDeclaration[]): void => {
  for (const { name, type, required } of variables) {
    const value = declaredValue(data, name);
    if (value === undefined && required) {
      throw ApiError.of(
        'template_render_error',
        `The data has no value for "${truncateForMessage(name)}", which the template declares as required.`,
        { missing_variable: name },
      );
    }
    if (value !== undefined && value !== null && !isOfType[type](value)) {
      throw ApiError.of(
        'template_render_error',
        `"${truncateForMessage(name)}" is ${describeValue(value)}; the template declares it as ${typeDescriptions[type]}.`,
        { variable: name },
      );
    }
  }
};
