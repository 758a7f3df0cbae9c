import type { TemplateIssue } from '#contracts/http/template-responses.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import type { TemplateLabels } from '#contracts/http/template-labels.ts';
import { checkTemplate, type LabelUse, type VariableUse } from './check.ts';
import { fallbackLabels } from './labels.ts';
import { templateLimits } from './limits.ts';
import { truncateForMessage } from './messages.ts';
import { parseTemplate } from './parse.ts';

export type AnalysisInput = {
  content: string;
  variables: VariableDeclaration[];
  labels?: TemplateLabels | undefined;
};
export type TemplateAnalysis = { errors: TemplateIssue[]; names: string[] };

const pathPrefixes = (parts: readonly string[]) =>
  parts.slice(0, templateLimits.comparedParts).map((_, last) => parts.slice(0, last + 1).join('.'));

/** The declared names and the paths to them: if `customer.name` is declared, `customer` is known too. */
const collectDeclaredNames = (variables: VariableDeclaration[]) => ({
  whole: new Set(variables.map(({ name }) => name)),
  partly: new Set(variables.flatMap(({ name }) => pathPrefixes(name.split('.')))),
});

const isDeclared = ({ parts }: VariableUse, { whole, partly }: ReturnType<typeof collectDeclaredNames>) =>
  pathPrefixes(parts).some((name) => whole.has(name)) || partly.has(parts.join('.'));

const undeclaredFinding = (variable: string, line: number): TemplateIssue => ({
  type: 'missing_variable',
  message: `Line ${line} uses "${truncateForMessage(variable)}", which is not among the declared variables.`,
  line,
  variable: variable.slice(0, templateLimits.pathCharacters),
});

const undeclaredFindings = (uses: VariableUse[], variables: VariableDeclaration[]): TemplateIssue[] => {
  if (variables.length === 0) return [];
  const declared = collectDeclaredNames(variables);
  const others = Map.groupBy(
    uses.filter((use) => !isDeclared(use, declared)),
    ({ parts }) => parts.join('.'),
  );
  return [...others].flatMap(([variable, places]) =>
    places.slice(0, 1).map(({ line }) => undeclaredFinding(variable, line)),
  );
};

const syntaxFinding = ({ message, line }: { message: string; line: number }): TemplateIssue => ({
  type: 'syntax_error',
  message,
  line,
});

const missingLabelFindings = (uses: LabelUse[], labels: TemplateLabels): TemplateIssue[] => {
  const known = fallbackLabels(labels);
  const language = labels['en'] ? 'en' : (Object.keys(labels)[0] ?? 'en');
  const missing = Map.groupBy(
    uses.filter(({ name }) => !Object.hasOwn(known, name)),
    ({ name }) => name,
  );
  return [...missing].flatMap(([name, places]) =>
    places.slice(0, 1).map(({ line }): TemplateIssue => ({
      type: 'missing_label',
      message: `Line ${line} uses the label "${truncateForMessage(name)}", which the labels of "${language}" do not have.`,
      line,
      label: name.slice(0, templateLimits.pathCharacters),
    })),
  );
};

/**
 * Checks a template. `errors` holds at most 50 findings in the order of their lines, which count from 1. `names` are
 * the top-level names of the data that the template uses. If variables are declared, every use of another name is a
 * `missing_variable`. The items of loops are not checked. A label that the fallback language does not have is a
 * `missing_label`.
 */
export const analyse = (
  content: string,
  variables: VariableDeclaration[],
  labels: TemplateLabels = {},
): TemplateAnalysis => {
  const parsed = parseTemplate(content);
  if ('error' in parsed) return { errors: [syntaxFinding(parsed.error)], names: [] };
  const { errors: syntaxErrors, uses, labels: labelUses } = checkTemplate(parsed.program);
  const errors = [
    ...syntaxErrors.map(syntaxFinding),
    ...undeclaredFindings(uses, variables),
    ...missingLabelFindings(labelUses, labels),
  ].toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return {
    errors: errors.slice(0, templateLimits.findings),
    names: [...new Set(uses.flatMap(({ parts }) => parts.slice(0, 1)))],
  };
};
