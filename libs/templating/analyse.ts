import type { TemplateFinding } from '#contracts/http/template-answers.ts';
import type { Variable } from '#contracts/http/templates.ts';
import { checkTemplate, type Use } from './check.ts';
import { limits } from './limits.ts';
import { shown } from './messages.ts';
import { parseTemplate } from './parse.ts';

export type Analysis = { errors: TemplateFinding[]; names: string[] };

const leading = (parts: readonly string[]) => parts.slice(0, limits.comparedParts).map((_, last) => parts.slice(0, last + 1).join('.'));

/** The declared names, and those that lead to one: with `customer.name` declared, `customer` is known too. */
const known = (variables: Variable[]) => ({
  whole: new Set(variables.map(({ name }) => name)),
  partly: new Set(variables.flatMap(({ name }) => leading(name.split('.')))),
});

const isDeclared = ({ parts }: Use, { whole, partly }: ReturnType<typeof known>) => leading(parts).some((name) => whole.has(name)) || partly.has(parts.join('.'));

const undeclaredAt = (variable: string, line: number): TemplateFinding => ({
  type: 'missing_variable',
  message: `Line ${line} uses "${shown(variable)}", which is not among the declared variables.`,
  line,
  variable: variable.slice(0, limits.path),
});

const undeclared = (uses: Use[], variables: Variable[]): TemplateFinding[] => {
  if (variables.length === 0) return [];
  const declared = known(variables);
  const others = Map.groupBy(
    uses.filter((use) => !isDeclared(use, declared)),
    ({ parts }) => parts.join('.'),
  );
  return [...others].flatMap(([variable, places]) => places.slice(0, 1).map(({ line }) => undeclaredAt(variable, line)));
};

const syntaxError = ({ message, line }: { message: string; line: number }): TemplateFinding => ({ type: 'syntax_error', message, line });

/**
 * Reads a template and tells what is wrong with it, in the order of its lines (which count from 1), at most 50
 * findings. `names` are the top-level names of the data that it uses. Where variables are declared, every use of
 * another name is a `missing_variable`; what a loop's items hold is not known here and is not judged.
 */
export const analyse = (content: string, variables: Variable[]): Analysis => {
  const parsed = parseTemplate(content);
  if ('fault' in parsed) return { errors: [syntaxError(parsed.fault)], names: [] };
  const { faults, uses } = checkTemplate(parsed.program);
  const errors = [...faults.map(syntaxError), ...undeclared(uses, variables)].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { errors: errors.slice(0, limits.findings), names: [...new Set(uses.flatMap(({ parts }) => parts.slice(0, 1)))] };
};
