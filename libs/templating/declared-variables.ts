import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { addProblem, type DataProblems } from './data-problems.ts';
import { isExactNumber, isFiniteNumber } from '#contracts/http/exact-numbers.ts';
import { describeValue, truncateForMessage } from './messages.ts';
import { isoDateAllowed, ownMember, readIsoDate } from './values.ts';

const isOfType: Record<VariableDeclaration['type'], (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: isFiniteNumber,
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && !Array.isArray(value) && !isExactNumber(value),
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
 * Checks the data against the declared variables. Null counts as present and fits every type. Adds a problem for each
 * required variable without value, and for each value of the wrong type. @throws TooManyProblems
 */
export const checkVariables = (
  data: unknown,
  variables: readonly VariableDeclaration[],
  problems: DataProblems,
): void => {
  for (const { name, type, required } of variables) {
    const value = declaredValue(data, name);
    const shown = truncateForMessage(name);
    if (value === undefined && required)
      addProblem(problems, {
        path: name,
        message: `The data has no value for "${shown}", which the template declares as required.`,
        extra: { missing_variable: name },
      });
    if (value !== undefined && value !== null && !isOfType[type](value))
      addProblem(problems, {
        path: name,
        message: `"${shown}" is ${describeValue(value)}; the template declares it as ${typeDescriptions[type]}.`,
        extra: { variable: name },
      });
  }
};
